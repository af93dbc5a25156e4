"""Faults that users of such systems met, held end to end through the product.

Each test names the kind of fault it stands for. Kinds that one module decides
are held where that module is tested (`tests/README.md` has the list).
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from mindcache import recall
from mindcache.app import App
from mindcache.cache import lock
from mindcache.errors import AmbiguousName, ConfigError, MindcacheError, UsageError
from mindcache.recall.find import get_exact
from mindcache.write import moving
from tests.conftest import MakeApp, MakeVault


def found(app: App, text: str, search: str = "deep", **more: object) -> list[str]:
    answer = app.ask(search, recall.Ask(text, **more))  # type: ignore[arg-type]
    return [hit.path for hit in answer.hits]


def test_a_note_edited_by_hand_gets_its_vector(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """An edit that reached the words only would stay out of semantic answers."""
    vault = make_vault(
        {"a.md": "Nothing much.", "b.md": "The harbour crane is broken."}
    )
    app = make_app(vault)
    app.update()
    (vault / "a.md").write_text("A puppy sleeps beside the stove.")
    assert found(app, "young dog resting", "semantic")[0] == "a.md"


def test_an_answer_from_behind_says_so(
    make_vault: MakeVault, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another process writes the cache, an empty answer claims nothing."""
    monkeypatch.setattr("mindcache.app.keeping.WAIT_TO_ANSWER", 0.2)
    vault = make_vault({"a.md": "harbour"})
    app = make_app(vault)
    app.update()
    (vault / "b.md").write_text("zebra")
    entered, done = threading.Event(), threading.Event()

    def write_for_long() -> None:
        with lock.hold(app.cache_path + ".lock", 1.0):
            entered.set()
            done.wait(30)

    other = threading.Thread(target=write_for_long)
    other.start()
    entered.wait(10)
    try:
        answer = app.ask("deep", recall.Ask("zebra"))
    finally:
        done.set()
        other.join()
    assert answer.stale
    assert answer.pending >= 1
    assert not answer.hits
    assert found(app, "zebra") == ["b.md"]


def small_model(folder: Path) -> Path:
    """A model2vec folder of its own, with other vectors of another size."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = ["[UNK]", "harbour", "crane", "zebra", "the", "is", "broken"]
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    rows = np.random.default_rng(3).normal(size=(len(words), 12)).astype(np.float32)
    StaticModel(rows, tokenizer, normalize=False).save_pretrained(folder)
    return folder


def test_another_model_never_mixes_with_the_first(
    make_vault: MakeVault,
    make_app: MakeApp,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Vectors of two models in one cache would give scores that mean nothing."""
    vault = make_vault({"a.md": "the harbour crane is broken", "b.md": "zebra"})
    first = make_app(vault)
    first.update()
    before = found(first, "zebra", "semantic", floor=0)
    monkeypatch.setenv("MINDCACHE_MODEL", str(small_model(tmp_path / "small")))
    second = make_app(vault)
    assert second.fingerprint != first.fingerprint
    assert second.update().added == ["a.md", "b.md"]
    assert second.corpus().vectors.shape == (2, 12)
    assert found(second, "zebra", "semantic", floor=0)[0] == "b.md"
    monkeypatch.delenv("MINDCACHE_MODEL")
    third = make_app(vault)
    assert found(third, "zebra", "semantic", floor=0) == before
    assert third.corpus().vectors.shape == (2, 256)


def test_a_missing_model_is_named(
    make_vault: MakeVault, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINDCACHE_MODEL", "/no/such/model")
    with pytest.raises(MindcacheError, match=r"/no/such/model.*no such folder"):
        make_app(make_vault({"a.md": "x"})).update()


def test_words_of_scripts_without_spaces_are_found_by_words_alone(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault(
        {
            "zh.md": "中文合約轉換",
            "mixed.md": "用 BBDown 下载 B 站视频",
            "ja.md": "東京タワーで会う",
            "th.md": "ประเทศไทย",
            "en.md": "contract conversion",
        }
    )
    app = make_app(vault)
    assert found(app, "合約", "exact") == ["zh.md"]
    assert found(app, "東京", "exact") == ["ja.md"]
    assert found(app, "ไทย", "exact") == ["th.md"]
    assert found(app, "BBDown 视频下载", "exact")[0] == "mixed.md"


def test_a_name_in_the_other_normal_form_is_one_name(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """macOS may hand out "é" in two characters; the bytes on disk stay."""
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    vault = make_vault({f"{decomposed}.md": "coffee", "a.md": f"[[{composed}]]"})
    app = make_app(vault)
    app.update()
    assert [e[1] for e in app.reader().edges()] == [f"{decomposed}.md"]
    assert (vault / f"{decomposed}.md").exists()
    assert recall.get_note(app.reader(), composed).path == f"{decomposed}.md"


def test_a_date_in_a_note_outlives_the_copy_of_its_file(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault(
        {"old.md": "---\ncreated: 2021-03-04\n---\nharbour", "new.md": "harbour 2026"}
    )
    app = make_app(vault)
    filters = recall.Filters(dates=("2021",))
    assert found(app, "harbour", filters=filters) == ["old.md"]
    filters = recall.Filters(dates=("2026",))
    assert found(app, "harbour", filters=filters) == []


def test_json_survives_every_character(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """A cut inside a family of emoji, or a stray surrogate, would break a reader."""
    from mindcache import wire

    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467 "
    vault = make_vault(
        {
            "a.md": "harbour " + family * 400,
            "b.md": '---\nsummary: "\\ud83d half"\n---\nharbour \\ud83d',
            "c.md": b"harbour \x1b[31m\x00 end",
        }
    )
    app = make_app(vault)
    answer = wire.recall(app.ask("deep", recall.Ask("harbour", floor=0)))
    text = json.dumps(answer, ensure_ascii=False)
    assert json.loads(text.encode("utf-8").decode("utf-8")) == answer
    assert {hit["path"] for hit in answer["hits"]} == {"a.md", "b.md", "c.md"}  # type: ignore[attr-defined,index]


def test_a_date_that_no_database_can_hold_stops_nothing(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault({"a.md": "harbour", "b.md": "crane"})
    for year in (2300, 1700):
        seconds = (year - 1970) * 365 * 86_400
        os.utime(vault / "a.md", (seconds, seconds))
        app = make_app(vault)
        assert app.update().indexed == 2
        assert found(app, "harbour") == ["a.md"]


def test_a_cache_deleted_in_between_is_made_again(
    make_vault: MakeVault, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(make_vault({"a.md": "harbour"}))
    app.update()
    folder = Path(app.cache_path).parent
    shutil.rmtree(folder)
    assert found(app, "harbour") == ["a.md"]
    update, calls = App.update, []

    def update_and_lose(self: App, **values: object) -> object:
        report = update(self, **values)  # type: ignore[arg-type]
        if not calls:
            shutil.rmtree(folder)
        calls.append(1)
        return report

    monkeypatch.setattr(App, "update", update_and_lose)
    (Path(app.vault.root) / "b.md").write_text("crane")
    assert found(app, "crane") == ["b.md"]
    assert len(calls) == 2


def test_a_cache_may_not_lie_in_the_vault(make_vault: MakeVault) -> None:
    """It would travel with the notes, and break on the next machine."""
    vault = make_vault({"a.md": "harbour"})
    for folder in (vault, vault / "caches", vault / ".mindcache/cache"):
        with pytest.raises(ConfigError, match="inside the vault"):
            App(str(vault), str(folder)).reader()
    assert sorted(p.name for p in vault.iterdir()) == [".obsidian", "a.md"]


def test_a_note_is_found_by_its_exact_path_whatever_it_holds(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    names = ["a.md", "a#b.md", "a|b.md", "[[x]].md", " lead.md", "back\\slash.md"]
    app = make_app(make_vault({name: f"text of {name}" for name in names}))
    for name in names:
        assert recall.get_note(app.reader(), name).path == name
        assert recall.get_note(app.reader(), name.removesuffix(".md")).path == name


def test_a_filter_that_nothing_has_names_the_nearest(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    note = "---\nid: m-01JEZ0000000000000000000AA\naliases: [Gaz]\n---\nharbour"
    app = make_app(make_vault({"Crane rules.md": note}))
    for filters, nearest in (
        (recall.Filters(ids=("m-01JEZ0000000000000000000AB",)), "000AA"),
        (recall.Filters(aliases=("Gas",)), "Gaz"),
        (recall.Filters(titles=("crane rulez",)), "Crane rules"),
    ):
        with pytest.raises(UsageError, match=nearest):
            found(app, "harbour", filters=filters)


def test_what_a_limit_leaves_out_is_counted(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    notes = {f"n{n}.md": f"---\ntags: [a/b]\n---\nharbour {n}" for n in range(15)}
    app = make_app(make_vault(notes))
    filters = recall.Filters(tags=("a/b",))
    listing = app.ask("exact", recall.Ask("", filters=filters, limit=4))
    assert (len(listing.hits), listing.left_out) == (4, 11)
    answer = app.ask("exact", recall.Ask("harbour", limit=6))
    assert len(answer.hits) + answer.left_out + answer.below_floor == 15


def test_the_name_of_a_note_finds_it_before_every_mention(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    mentions = {
        f"m{n}.md": f"Elín Arnadóttir, Elín Arnadóttir and {n}." for n in range(5)
    }
    note = "---\naliases: [The boss]\n---\nLives by the harbour.\n\nLikes coffee."
    app = make_app(make_vault({**mentions, "people/Elín Arnadóttir.md": note}))
    for asked in ("elin arnadottir", "[[Elín Arnadóttir]]", "the boss?"):
        for search in ("deep", "exact"):
            assert found(app, asked, search)[0] == "people/Elín Arnadóttir.md", asked


def test_a_date_may_be_a_phrase(make_vault: MakeVault, make_app: MakeApp) -> None:
    """The clock of these tests stands on Monday, 30 November 2026."""
    app = make_app(
        make_vault({f"2026-11-{day}.md": "harbour" for day in ("18", "24", "29", "30")})
    )
    for phrase, days in (
        ("yesterday", ["29"]),
        ("gestern", ["29"]),
        ("last week", ["24", "29"]),
        ("November 2026", ["18", "24", "29", "30"]),
    ):
        filters = recall.Filters(dates=(phrase,))
        hits = found(app, "harbour", "exact", filters=filters)
        assert sorted(hits) == [f"2026-11-{day}.md" for day in days], phrase
    filters = recall.Filters(start="last Tuesday", end="yesterday")
    assert len(found(app, "harbour", "exact", filters=filters)) == 2
    with pytest.raises(UsageError, match="last week"):
        found(app, "harbour", filters=recall.Filters(dates=("someday",)))


def test_a_save_by_renaming_over_the_note_keeps_its_identity(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """A7: one update, the same node, no delete and add."""
    vault = make_vault({"a.md": "---\nid: m-1\n---\nOne.", "b.md": "[[a]]"})
    app = make_app(vault)
    app.update()
    (vault / ".a.md.swp").write_text("---\nid: m-1\n---\nTwo.")
    (vault / ".a.md.swp").replace(vault / "a.md")
    report = app.update()
    assert (report.changed, report.added, report.removed) == (["a.md"], [], [])
    assert [node.path for node in app.reader().nodes_by_id("m-1")] == ["a.md"]
    assert app.reader().links_to("a.md")[0].source == "b.md"


def test_a_copy_at_the_path_that_a_note_left(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """C8: mv a b, then cp b a: two nodes, and the id that both carry is listed."""
    vault = make_vault({"a.md": "---\nid: m-1\n---\nOne.", "c.md": "[[a]] [[b]]"})
    app = make_app(vault)
    app.update()
    (vault / "a.md").rename(vault / "b.md")
    (vault / "a.md").write_bytes((vault / "b.md").read_bytes())
    app.update()
    assert [node.path for node in app.reader().nodes_by_id("m-1")] == ["a.md", "b.md"]
    doubles = [p for p in app.doctor().problems if p.code == "duplicate-id"]
    assert [(p.path, "a.md" in p.message) for p in doubles] == [("b.md", True)]
    # The same after a move of ours: what may be meant by that id is not guessed.
    with pytest.raises(AmbiguousName):
        get_exact(app.reader(), "m-1", by_name=True)


def test_an_alias_resolves_here_and_is_written_with_the_name(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """C5: lint tells of a bare alias; what we write is `[[Real|Alias]]`."""
    vault = make_vault(
        {"Real.md": "---\naliases: [Nick]\n---\n", "a.md": "[[Nick]] [[Real|Nick]]"}
    )
    app = make_app(vault)
    codes = [(p.path, p.code) for p in app.doctor().problems]
    assert ("a.md", "link-by-alias") in codes
    # A note that takes the alias for its name would capture the link.
    (vault / "Other.md").write_text("")
    with app.writing():
        moving.move(app, moving.decide(app, {"Other.md": "Nick.md"}))
    assert (vault / "a.md").read_text() == "[[Real|Nick]] [[Real|Nick]]"


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Kiritimati"])
def test_a_plain_day_is_the_same_day_in_every_zone(
    make_vault: MakeVault,
    make_app: MakeApp,
    monkeypatch: pytest.MonkeyPatch,
    zone: str,
) -> None:
    """Neither the vault's zone nor the machine's moves a date without an hour."""
    monkeypatch.setenv("TZ", zone)
    app = make_app(
        make_vault(
            {
                ".mindcache/config.toml": f'timezone = "{zone}"\n',
                "a.md": "---\ndate: 2026-06-29\n---\nharbour",
            }
        )
    )
    for day, paths in (
        ("2026-06-28", []),
        ("2026-06-29", ["a.md"]),
        ("2026-06-30", []),
    ):
        filters = recall.Filters(dates=(day,))
        assert found(app, "harbour", "exact", filters=filters) == paths
    assert app.ask("exact", recall.Ask("harbour")).hits[0].date == "2026-06-29"


def test_a_range_is_in_the_zone_of_the_vault(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """Four in the afternoon in London is the next day in Tokyo."""
    app = make_app(
        make_vault(
            {
                ".mindcache/config.toml": 'timezone = "Asia/Tokyo"\n',
                "a.md": "---\ntime_start: 2026-06-28T16:00:00Z\n---\nharbour in fog",
                "b.md": "---\ntime_start: 2026-06-29T00:30:00+09:00\n---\nharbour at night",
            }
        )
    )
    filters = recall.Filters(start="2026-06-29", end="2026-06-29")
    assert sorted(found(app, "harbour", "exact", filters=filters)) == ["a.md", "b.md"]
    filters = recall.Filters(end="2026-06-28")
    assert found(app, "harbour", "exact", filters=filters) == []
    dates = {h.path: h.date for h in app.ask("exact", recall.Ask("harbour")).hits}
    assert dates == {"a.md": "2026-06-29T01:00", "b.md": "2026-06-29T00:30"}
