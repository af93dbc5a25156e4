"""A set of beliefs with cases that say exactly what an answer may hold.

Each belief is laid down as an ordinary note, each case is put as a person would put it:
recall with filters. What a case wants to see comes in four parts, and each is one call:
what holds everywhere, what is pinned, what is still open, and what the question calls
by name. An unexpected note fails a case as much as a missing one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from mindcache.app import App
from mindcache.recall import Ask, Filters

__all__ = ["Outcome", "cases", "printed", "report", "run"]

# Cases about several people who share one store: a vault is one person's.
_NOT_OURS = "Cross-user isolation"
# What a set calls a scope that applies to everything, and our tag for it.
_EVERYWHERE = "user:universal"
_GLOBAL = "scope/global"
# Kinds of beliefs, as types of notes. What isn't decided yet is something planned.
_TYPES = {"entity": "entity", "open_question": "plan"}
# Nobody asks for more than this in one call.
_MANY = 50


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case: whether it passed, and each reason why not.

    `first` is the rank of the first expected note in plain recall within the scope,
    without asking for names; 0 where nothing is expected or it is missing.
    """

    case: str
    category: str
    failures: tuple[str, ...]
    first: int = 0
    wanted: bool = False

    @property
    def passed(self) -> bool:
        """Whether all of it was as expected."""
        return not self.failures


@dataclass(slots=True)
class _Parts:
    everywhere: list[str] = field(default_factory=list)
    pinned: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    relevant: set[str] = field(default_factory=set)


def cases(folder: str) -> list[Mapping[str, Any]]:
    """The cases that a vault of one person can be asked."""
    with open(os.path.join(folder, "retrieval.cases.json"), encoding="utf-8") as file:
        found = json.load(file)
    return [case for case in found if case["category"] != _NOT_OURS]


def run(source: str, folder: str) -> list[Outcome]:
    """Lay the beliefs of `source` down below `folder` and put every case."""
    with open(os.path.join(source, "beliefs.seed.json"), encoding="utf-8") as file:
        beliefs = json.load(file)
    owner = beliefs[0]["user_id"]  # whoever a case doesn't name is the first
    asked = cases(source)
    newest = max(b["updated_at"] for b in beliefs)
    now = datetime.fromisoformat(newest[:19]) + timedelta(days=1)
    outcomes = {}
    for who in {case.get("userId", owner) for case in asked}:
        own = [b for b in beliefs if b["user_id"] == who]
        vault = os.path.join(folder, f"beliefs of {who}")
        _lay_down(own, vault)
        app = App(vault, os.path.join(folder, "cache"), now=lambda: now)
        try:
            for case in asked:
                if case.get("userId", owner) == who:
                    outcomes[case["caseId"]] = _outcome(app, case)
        finally:
            app.close()
    return [outcomes[case["caseId"]] for case in asked]


# -- beliefs as notes --------------------------------------------------------------


def _lay_down(beliefs: Sequence[Mapping[str, Any]], vault: str) -> None:
    os.makedirs(os.path.join(vault, ".mindcache"))
    names = {b["_id"]: b["canonical_name"].replace("_", " ") for b in beliefs}
    for belief in beliefs:
        path = os.path.join(vault, names[belief["_id"]] + ".md")
        with open(path, "w", encoding="utf-8") as file:
            file.write(_note(belief, names))


def _note(belief: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """The belief as a person would write it down, with our own properties."""
    lists: dict[str, Iterable[str]] = {
        "aliases": belief["aliases"],
        "tags": [_tag(scope) for scope in belief["scope"]],
        "involves": [f"[[{names[each]}]]" for each in belief.get("participants", ())],
    }
    over = belief["resolved_at"]
    lines = [
        "---",
        f"id: {belief['_id']}",
        f"type: {_TYPES.get(belief['type'], 'fact')}",
        f"status: {'archived' if over else 'active'}",
        f"created_at: {belief['created_at'][:19]}",
        f"confidence: {belief['confidence']}",
        f"pinned: {str(belief['pinned']).lower()}",
    ]
    if over:
        lines.append(f"valid_until: {over[:19]}")
    if belief["superseded_by"]:
        lines.append(f'superseded_by: "[[{names[belief["superseded_by"]]}]]"')
    for key, values in lists.items():
        items = [f"  - {json.dumps(value)}" for value in values]
        lines += [f"{key}:", *items] if items else []
    return "\n".join([*lines, "---", belief["content"], ""])


def _tag(scope: str) -> str:
    return _GLOBAL if scope == _EVERYWHERE else scope.replace(":", "/")


# -- cases as questions ------------------------------------------------------------


def _outcome(app: App, case: Mapping[str, Any]) -> Outcome:
    scopes = [scope for scope in case["scope"] if scope != _EVERYWHERE]
    known = {tag.key for tag in app.reader().tags()}
    # A scope without a note is an unknown tag, which recall refuses to guess at.
    tags = tuple(tag for tag in map(_tag, scopes) if tag in known)
    most = case.get("budget", {}).get("maxBeliefs", _MANY)
    got = _parts(app, case["query"], tags, known, most)
    wanted = case["expect"].get("relevantBeliefs", {}).get("shouldOnlyInclude", [])
    first = _first(app, case["query"], tags, set(wanted)) if wanted and tags else 0
    return Outcome(
        case["caseId"],
        case["category"],
        tuple(_failures(case["expect"], got)),
        first,
        bool(wanted),
    )


def _parts(
    app: App, text: str, tags: tuple[str, ...], known: set[str], most: int
) -> _Parts:
    got = _Parts()
    if _GLOBAL in known:
        lasting = Filters(tags=(_GLOBAL,), current=True)
        got.everywhere = [h.snippet for h in _hits(app, "", lasting, _MANY)]
    if not tags:
        return got
    holding = Filters(tags=tags, current=True)
    pinned = _with(holding, types=("fact", "entity"), pinned=True)
    # Without a question the pinned ones are listed, with one the fitting come first.
    got.pinned = {hit.id for hit in _hits(app, text, pinned, most)}
    still_open = _with(holding, types=("plan",), pinned=True)
    got.open = {hit.id for hit in _hits(app, text, still_open, _MANY)}
    if text.strip():
        named = _with(holding, types=("fact", "entity"), named=True)
        left = max(0, most - len(got.pinned))
        hits = [h for h in _hits(app, text, named, _MANY) if h.id not in got.pinned]
        got.relevant = {hit.id for hit in hits[:left]}
    return got


def _with(filters: Filters, **more: Any) -> Filters:  # noqa: ANN401  fields of Filters
    return filters._replace(**more)


def _hits(app: App, text: str, filters: Filters, most: int) -> Sequence[Any]:
    return app.ask("deep", Ask(text, filters, limit=most, floor=0.0)).hits


def _first(app: App, text: str, tags: tuple[str, ...], wanted: set[str]) -> int:
    hits = _hits(app, text, Filters(tags=tags), _MANY)
    return next((n for n, hit in enumerate(hits, 1) if hit.id in wanted), 0)


def _failures(expect: Mapping[str, Any], got: _Parts) -> Iterable[str]:
    for name, found in (
        ("relevantBeliefs", got.relevant),
        ("pinnedFacts", got.pinned),
        ("openQuestions", got.open),
    ):
        want = expect.get(name, {})
        # What is forbidden among the relevant must not come as a pinned one either.
        forbidden = found | (got.pinned if name == "relevantBeliefs" else set())
        missing = set(want.get("mustInclude", ())) - found
        if "shouldOnlyInclude" in want:
            only = set(want["shouldOnlyInclude"])
            missing |= only - found
            yield from (f"{name}: unexpected {i}" for i in sorted(found - only))
        yield from (f"{name}: missing {i}" for i in sorted(missing))
        for each in sorted(forbidden.intersection(want.get("mustExclude", ()))):
            yield f"{name}: forbidden {each}"
    whole = "\n".join(got.everywhere)
    want = expect.get("personaPrelude", {})
    if want.get("nonEmpty") and not whole:
        yield "prelude: empty"
    if want.get("isNull") and whole:
        yield "prelude: not empty"
    yield from (
        f"prelude: missing {t!r}" for t in want.get("contains", ()) if t not in whole
    )
    for text in want.get("mustNotContain", ()):
        if text in whole:
            yield f"prelude: holds {text!r}"


# -- as a table --------------------------------------------------------------------


def report(source: str, folder: str) -> dict[str, Any]:
    """How many cases pass, in all and by category, and why the others fail."""
    outcomes = run(source, folder)
    categories: dict[str, list[int]] = {}
    for each in outcomes:
        passed = categories.setdefault(each.category, [0, 0])
        passed[0] += each.passed
        passed[1] += 1
    ranked = [each for each in outcomes if each.wanted]
    return {
        "cases": len(outcomes),
        "passed": sum(each.passed for each in outcomes),
        "by category": dict(sorted(categories.items())),
        "failed": {e.case: list(e.failures) for e in outcomes if not e.passed},
        "first": [sum(each.first == 1 for each in ranked), len(ranked)],
    }


def printed(found: Mapping[str, Any]) -> list[str]:
    """The lines of the table that `report` gave."""
    first, ranked = found["first"]
    passed, count = found["passed"], found["cases"]
    head = f"\nBeliefs, exact cases: {passed} of {count} pass; in plain recall the"
    lines = [f"{head} expected one comes first in {first} of {ranked}"]
    for name, (passed, count) in found["by category"].items():
        lines.append(f"  {name:36} {passed:3} of {count}")
    for name, failures in found["failed"].items():
        lines.append(f"  failed: {name}: {'; '.join(failures)}")
    return lines
