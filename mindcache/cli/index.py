"""`mindcache index`: bring the cache in step; ask the tag index."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import Entry, Group, command, examples

if TYPE_CHECKING:
    from mindcache.cache.read import NodeRow, Reader
    from mindcache.errors import Problem
    from mindcache.recall.standing import Standing
    from mindcache.sync import Scope, SyncReport

__all__ = ["index", "query", "tags", "update"]

index = Group(
    "index",
    {
        "update": Entry("mindcache.cli.index:update", "Bring the cache in step."),
        "query": Entry("mindcache.cli.index:query", "Notes by their tags."),
        "tags": Entry("mindcache.cli.index:tags", "The tags in use."),
    },
    help="Bring the cache in step with the notes, and ask the index of tags.",
    epilog=examples("mindcache index query --client acme --tool postgres"),
)


# -- update -------------------------------------------------------------------


@command(
    "mindcache index update",
    "mindcache index update --since 2026-11-01",
    "mindcache index update --file memory/Pricing.md",
)
@click.option(
    "--since",
    metavar="TIME",
    default="",
    help="Look only at files changed since this date or minute.",
)
@click.option("--rebuild", is_flag=True, help="Throw the cache away and begin anew.")
@click.option(
    "--file",
    "files",
    metavar="PATH",
    multiple=True,
    help="Look at this note (or folder) alone. Repeatable.",
)
def update(call: Call, since: str, rebuild: bool, files: tuple[str, ...]) -> None:
    """Bring the cache in step with the notes on disk.

    Every command that answers does this by itself when something changed. Ends
    with 1 when a note could not be read.
    """
    scope = _scope(call, since, rebuild, files)
    report = call.app.update(rebuild=rebuild, scope=scope)
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.update(report))
    else:
        _print_report(report)
    if report.failed:
        raise click.exceptions.Exit(1)


def _scope(
    call: Call, since: str, rebuild: bool, files: tuple[str, ...]
) -> Scope | None:
    from mindcache.errors import UsageError

    if not all(path.strip() for path in files):
        raise UsageError("--file names no path", mend="give one, or leave it out")
    wanted = list(files)
    if rebuild and (since.strip() or wanted):
        raise UsageError("--rebuild looks at everything", mend="leave the others out")
    if not (since.strip() or wanted):
        return None
    from mindcache.cli.places import notes_at
    from mindcache.sync import Scope

    only = notes_at(call.app.vault, wanted, gone=True) if wanted else []
    return Scope(only=tuple(only), since_ns=_nanoseconds(since))


def _nanoseconds(since: str) -> int:
    if not since.strip():
        return 0
    from mindcache.errors import UsageError
    from mindcache.when import parse_interval

    found = parse_interval(since)
    if found is None:
        raise UsageError(
            f"--since: {since!r} is not a date",
            mend="write 2026-03-05 or 2026-03-05T14:30",
        )
    return int(found.start.timestamp()) * 1_000_000_000


def _print_report(report: SyncReport) -> None:
    counts = {
        "added": len(report.added),
        "changed": len(report.changed),
        "moved": len(report.moved),
        "removed": len(report.removed),
        "skipped": len({p.path for p in (*report.skipped, *_held(report))}),
    }
    words = [f"{number:,} {word}" for word, number in counts.items() if number]
    head = ", ".join(words) or "nothing changed"
    output.say(f"{head}; {output.counted(report.indexed, 'note')} indexed")
    if report.partial:
        output.say("partial: only a part of the vault was looked at")
    output.print_problems(dict.fromkeys((*report.skipped, *report.problems)), "  ")


def _held(report: SyncReport) -> list[Problem]:
    """The notes that are kept out of search until they are mended."""
    return [p for p in report.problems if p.code in {"conflict-copy", "git-conflict"}]


# -- query --------------------------------------------------------------------

_NAMESPACES = ("client", "tool", "domain", "convention", "scope")


@command(
    "mindcache index query --client acme --tool postgres",
    "mindcache index query --convention python --scope global",
    "mindcache index query --tag client/acme --tag client/zenith",
)
@click.option("--client", metavar="X", multiple=True, help="Tagged client/X.")
@click.option("--tool", metavar="Y", multiple=True, help="Tagged tool/Y.")
@click.option("--domain", metavar="Z", multiple=True, help="Tagged domain/Z.")
@click.option("--convention", metavar="C", multiple=True, help="Tagged convention/C.")
@click.option("--scope", metavar="S", multiple=True, help="Tagged scope/S.")
@click.option("--tag", metavar="T", multiple=True, help="Any tag, written in full.")
def query(call: Call, **given: tuple[str, ...]) -> None:
    """List the notes with these tags: path, summary, the tags that matched.

    Repeating an option means "or", several options mean "and". A tag matches
    itself and those nested below it. This asks what is known; what happened (events,
    journal) is mindcache timeline's, and recall finds both.
    """
    from mindcache.recall.standing import standings

    wanted = _wanted(given)
    if not wanted:
        raise click.UsageError("Name at least one tag, for example --client acme.")
    reader = call.app.reader()
    call.settle()
    matched = _matching(reader, wanted)
    found = reader.nodes(matched)
    nodes = [node for node in found if not _is_episode(node)]
    episodes = len(found) - len(nodes)
    stand = standings(reader, nodes, call.app.now())
    nearest = [] if found else _nearest(reader, wanted)
    keys = [key for each in wanted.values() for key in each]
    words = dict.fromkeys(key.rpartition("/")[2] for key in keys)
    retry = "mindcache recall " + shlex.quote(" ".join(words))
    if call.json:
        from mindcache import wire

        output.print_json(
            wire.merged(
                {
                    "query": wanted,
                    "notes": [
                        wire.tagged(n, matched[n.file_id], stand[n.file_id])
                        for n in nodes
                    ],
                    "episodes": episodes,
                    "nearest": nearest,
                    "try": retry,
                    "stale": call.app.freshness.stale,
                    "pending": call.app.freshness.pending,
                    "problems": wire.problems(call.app.freshness.problems),
                }
            )
        )
        return
    output.warn_when_stale(call.app.freshness)
    _print_notes(nodes, matched, stand)
    if episodes:
        what = output.counted(episodes, "episode")
        output.say(f"{what} tagged so; {retry} --memory episodic finds such")
    elif not nodes:
        _explain_empty(reader, wanted, nearest, retry)


def _wanted(given: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """The tags asked for by option, each as a key in full; empty ones left out."""
    from mindcache.tags import key

    wanted: dict[str, list[str]] = {}
    for option in (*_NAMESPACES, "tag"):
        head = "" if option == "tag" else option + "/"
        keys = [k for value in given.get(option, ()) if (k := key(value))]
        full = [k if k.startswith(head) else head + k for k in keys]
        if full:
            wanted[option] = list(dict.fromkeys(full))
    return wanted


def _matching(reader: Reader, wanted: dict[str, list[str]]) -> dict[int, list[str]]:
    """The notes that pass every option, each with the tags it was found by."""
    tags: dict[int, dict[str, None]] = {}
    passing: list[set[int]] = []
    for keys in wanted.values():
        found: set[int] = set()
        for key in keys:
            for file_id, spelled in reader.tagged(key):
                found.add(file_id)
                tags.setdefault(file_id, {})[spelled] = None
        passing.append(found)
    return {each: list(tags[each]) for each in set.intersection(*passing)}


def _is_episode(node: NodeRow) -> bool:
    """Whether a note says that it tells what happened; no guess leaves one out."""
    from mindcache.recall.filters import EPISODIC

    return node.type in EPISODIC and not node.type_inferred


def _nearest(reader: Reader, wanted: dict[str, list[str]]) -> list[str]:
    from mindcache.tags import nearest

    existing = [tag.name for tag in reader.tags()]
    unknown = [k for keys in wanted.values() for k in keys if not reader.tagged(k)]
    close = (tag for key in unknown for tag in nearest(key, existing))
    return list(dict.fromkeys(close))


def _print_notes(
    nodes: Sequence[NodeRow],
    matched: dict[int, list[str]],
    stand: Mapping[int, Standing],
) -> None:
    for node in nodes:
        tags = ", ".join(matched[node.file_id])
        output.say(
            output.mark(stand[node.file_id].words)
            + (f"  {output.single(tags)}" if tags else ""),
            strong=output.path_text(node.path),
        )
        if node.summary:
            output.say(f"    {output.single(node.summary)}")


def _explain_empty(
    reader: Reader, wanted: dict[str, list[str]], nearest: list[str], retry: str
) -> None:
    counts = {
        key: len({file_id for file_id, _ in reader.tagged(key)})
        for keys in wanted.values()
        for key in keys
    }
    output.say("No note passes:")
    for key, count in counts.items():
        output.say(f"  {key}: {output.counted(count, 'note')}")
    if nearest:
        output.say("Nearest tags: " + ", ".join(nearest))
    output.say(f"Try: {retry}")


# -- tags ---------------------------------------------------------------------


@command("mindcache index tags --namespace tool/", "mindcache index tags --limit 20")
@click.option("--namespace", metavar="N/", default="", help="Only tags below N/.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only the N most used, the most used first.",
)
def tags(call: Call, namespace: str, limit: int | None) -> None:
    """List the tags in use, by name, and how many notes have each."""
    from mindcache.errors import UsageError
    from mindcache.tags import key, nearest
    from mindcache.tags import namespace as namespace_of

    reader = call.app.reader()
    call.settle()
    head = key(namespace)
    found = reader.tags(head)
    if head and not found:
        spaces = {s for tag in reader.tags() if (s := namespace_of(tag.name))}
        close = nearest(head, spaces) or sorted(spaces)[:5]
        mend = f"nearest: {', '.join(f'{s}/' for s in close)}" if close else ""
        raise UsageError(f"no tag is below {head}/", mend=mend)
    left_out = 0
    if limit is not None:
        left_out = max(0, len(found) - limit)
        found = sorted(found, key=lambda tag: (-tag.notes, tag.key))[:limit]
    if call.json:
        from mindcache import wire

        shape = {
            "namespace": f"{head}/" if head else "",
            "tags": [wire.tag(each) for each in found],
            "left_out": left_out,
            "stale": call.app.freshness.stale,
            "pending": call.app.freshness.pending,
        }
        output.print_json(wire.merged(shape))
        return
    output.warn_when_stale(call.app.freshness)
    for line in output.table(
        [(output.single(tag.name), f"{tag.notes:,}") for tag in found]
    ):
        output.say(line)
    if left_out:
        output.say(f"… and {left_out:,} more")
    if not found:
        output.say("No note has a tag.")
