"""Appending to the journal: nothing lost, nothing changed, nobody's own note."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindcache import journal
from mindcache.app import App
from mindcache.errors import ConfigError, Refused, UsageError
from mindcache.recall.find import find_block
from mindcache.recall.timeline import Span, timeline
from mindcache.vault import Obsidian, Stamp, Vault
from mindcache.when import Interval, parse_phrase
from mindcache.write import moving
from mindcache.write.journal import Appended, Diary, append, compose, moment_in
from tests.conftest import NOW, MakeApp, MakeVault
from tests.test_journal import TEXTS
from tests.test_write_moving import play

ROOT = Path(__file__).parents[1]
DAY = "journal/2026-11-30.md"
HEAD = "---\ntype: journal\ndate: 2026-11-30\n---\n"


def write(app: App, words: str, at: datetime | None = None, **more: object) -> Appended:
    """What `mindcache journal append` does, without the words around it."""
    draft = compose(words, at or app.now(), **more)  # type: ignore[arg-type]
    diary = Diary.of(app.vault, app.settings, app.obsidian)
    with app.writing():
        done = append(app.vault, diary, draft, app.now())
    assert app.index([done.path]) is None
    return done


# -- which note ---------------------------------------------------------------


def test_a_day_has_the_same_bytes_wherever_it_begins(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    heads = []
    for _ in range(2):
        root = make_vault({})
        done = write(make_app(root, f"cache-{root.name}"), "text")
        assert (done.path, done.line) == (DAY, 5)
        heads.append((root / DAY).read_text().splitlines()[:4])
    assert heads[0] == heads[1] == HEAD.splitlines()


@pytest.mark.parametrize(
    ("daily", "folder", "expected"),
    [
        (Obsidian(), "journal", "journal/2026-11-30.md"),
        (Obsidian(), "", "2026-11-30 journal.md"),
        (Obsidian(), "log/days", "log/days/2026-11-30.md"),
        (Obsidian(daily_folder="journal"), "journal", "journal/2026-11-30 journal.md"),
        (Obsidian(daily_folder="/journal/"), "journal", "journal/2026-11-30 journal.md"),
        (Obsidian(daily_folder="daily"), "journal", "journal/2026-11-30.md"),
        # A link to [[2026-11-30]] means the shorter path: it must not become ours.
        (Obsidian(daily_folder="Daily notes"), "journal", "journal/2026-11-30 journal.md"),
        (Obsidian("YYYY/MM/YYYY-MM-DD"), "journal", "journal/2026-11-30 journal.md"),
        (Obsidian("YYYY-MM-DD dddd", "journal"), "journal", "journal/2026-11-30.md"),
        (Obsidian("DD.MM.YYYY", "journal"), "journal", "journal/2026-11-30.md"),
    ],
)  # fmt: skip
def test_the_owners_daily_notes_are_never_the_journals(
    daily: Obsidian, folder: str, expected: str
) -> None:
    assert Diary(folder, daily, 10**6).paths(NOW.date())[0] == expected


@pytest.mark.parametrize(
    "theirs", ["My day.\n", "", "---\ntype: event\n---\nMy day.\n", "---\n: [\n---\n"]
)
def test_a_note_of_that_name_that_is_no_journal_is_left_alone(
    theirs: str, make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({DAY: theirs})
    app = make_app(root)
    done = [write(app, "text"), write(app, "more")]
    assert {each.path for each in done} == {"journal/2026-11-30 journal.md"}
    assert (root / DAY).read_text() == theirs
    (root / "journal/2026-11-30 journal.md").write_text("mine too")
    with pytest.raises(Refused, match=r"would need type: journal .*journal\.folder"):
        write(app, "text")


def test_a_folder_spelled_otherwise_is_the_same_folder(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({"Journal/old.md": "x"})
    assert write(make_app(root), "text").path == "Journal/2026-11-30.md"


@pytest.mark.parametrize(
    "folder", ["../out", ".hidden", ".hidden/days", "ignored/journal", "/a/../../out"]
)
def test_a_folder_without_notes_is_refused(
    folder: str, make_vault: MakeVault, make_app: MakeApp
) -> None:
    config = f'journal.folder = "{folder}"\n'
    root = make_vault(
        {".mindcache/config.toml": config, ".mindcacheignore": "ignored/\n"}
    )
    with pytest.raises(ConfigError, match=r"journal\.folder"):
        write(make_app(root), "text")
    assert not (root.parent / "out").exists()


# -- what stands there stays --------------------------------------------------


@pytest.mark.parametrize(
    ("before", "added"),
    [
        (HEAD, "- 12:00 new ^ID\n"),
        (HEAD + "- 09:00 old ^j-1", "\n- 12:00 new ^ID\n"),
        (HEAD + "- 23:00 later ^j-1\n", "- 12:00 new ^ID\n"),
        (HEAD.replace("\n", "\r\n") + "- 09:00 old ^j-1\r\n", "- 12:00 new ^ID\r\n"),
        (HEAD.replace("\n", "\r\n") + "prose", "\r\n- 12:00 new ^ID\r\n"),
        (HEAD + "# A heading\n\nProse of mine.\n", "- 12:00 new ^ID\n"),
        (HEAD + "| a | b |\n|---|---|\n| 1 | 2 |\n", "\n- 12:00 new ^ID\n"),
        (HEAD + "1. one\n   - deep\n\n\n", "- 12:00 new ^ID\n"),
        ("---\ntype: journal # mine\ndate:  2026-11-30\n---\n", "- 12:00 new ^ID\n"),
        ("\ufeff" + HEAD, "- 12:00 new ^ID\n"),
    ],
)
def test_an_entry_goes_to_the_end_and_no_byte_before_it_changes(
    before: str, added: str, make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({DAY: before})
    app = make_app(root)
    done = write(app, "new")
    after = (root / DAY).read_bytes()
    assert after == before.encode() + added.replace("ID", done.entry.id).encode()
    shown = find_block(app.reader(), done.entry.id)
    assert shown is not None
    assert (shown[1].line_start, shown[1].at) == (done.line, "2026-11-30T12:00:00")


def test_another_encoding_is_kept(make_vault: MakeVault, make_app: MakeApp) -> None:
    before = b"\xff\xfe" + HEAD.encode("utf-16-le")
    root = make_vault({DAY: before})
    done = write(make_app(root), "日本")
    added = f"- 12:00 日本 ^{done.entry.id}\n".encode("utf-16-le")
    assert (root / DAY).read_bytes() == before + added
    latin = (HEAD + "- caf\xe9 \xfc\n").encode("latin-1")
    (root / DAY).write_bytes(latin)
    with pytest.raises(Refused, match="which lacks '日'"):
        write(make_app(root), "日本")
    assert (root / DAY).read_bytes() == latin


def test_in_a_code_block_left_open_no_entry_is_hidden(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({DAY: HEAD + "```\ncode\n"})
    with pytest.raises(Refused, match="left open"):
        write(make_app(root), "text")
    assert (root / DAY).read_text() == HEAD + "```\ncode\n"


@pytest.mark.parametrize("left_open", ["%% hidden\n", "$$\nx\n", "<!-- a\n"])
def test_behind_a_comment_left_open_an_entry_is_found(
    left_open: str, make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({DAY: HEAD + left_open})
    done = write(make_app(root), "50 %% and $$ and -->")
    part = find_block(make_app(root).reader(), done.entry.id)
    assert part is not None
    assert journal.parse(part[1].text, done.entry.id) == done.entry


def test_a_note_that_is_held_apart_gets_its_entry_and_says_so(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    conflict = "<<<<<<< a\n- 09:00 x ^j-1\n=======\n>>>>>>> b\n"
    root = make_vault({DAY: HEAD + conflict})
    done = write(make_app(root), "text")
    assert (root / DAY).read_text().startswith(HEAD + conflict + "- 12:00 text ^")
    assert done.held is not None
    assert done.held.code == "git-conflict"


def test_a_day_never_grows_past_what_is_indexed(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({".mindcache/config.toml": "size_cap = 300\n"})
    app = make_app(root)
    write(app, "a" * 200)
    before = (root / DAY).read_bytes()
    with pytest.raises(Refused, match="past size_cap"):
        write(app, "b" * 200)
    assert (root / DAY).read_bytes() == before


class Busy(Vault):
    """A vault whose notes somebody saves right after each of our first reads."""

    def __init__(self, root: str, save: Callable[[], None], times: int) -> None:
        super().__init__(root)
        self.save, self.left = save, times

    def read(self, path: str, size_cap: int) -> tuple[bytes | None, Stamp]:
        try:
            return super().read(path, size_cap)
        finally:
            if self.left:
                self.left -= 1
                self.save()


@pytest.mark.parametrize("exists", [True, False])
def test_what_somebody_saves_meanwhile_is_kept(
    exists: bool, make_vault: MakeVault
) -> None:
    root = make_vault({DAY: HEAD} if exists else {})
    path = root / DAY
    saved: list[str] = []

    def save() -> None:
        saved.append(f"- line {len(saved)} of mine\n")
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEAD + "".join(saved))

    busy = Busy(str(root), save, times=4)
    done = append(busy, Diary("journal", Obsidian(), 10**6), compose("text", NOW), NOW)
    assert len(saved) == 4
    assert path.read_text() == (
        HEAD + "".join(saved) + f"- 12:00 text ^{done.entry.id}\n"
    )


def test_an_id_that_the_day_has_is_drawn_again(make_vault: MakeVault) -> None:
    vault = Vault(str(make_vault({})))
    diary = Diary("journal", Obsidian(), 10**6)
    numbers = iter([7, 7, 8])
    ids = [
        append(
            vault, diary, compose("text", NOW), NOW, lambda _: next(numbers)
        ).entry.id
        for _ in range(2)
    ]
    assert [each[-4:] for each in ids] == ["0007", "0008"]


# -- what is written is what is read ------------------------------------------


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(texts=st.lists(TEXTS, min_size=1, max_size=6))
def test_any_texts_come_back_from_timeline_and_show(
    texts: list[str], make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({})
    app = make_app(root, f"cache-{root.name}")
    kept = [text for text in texts if journal.tidy(text)]
    done = [write(app, text, NOW.replace(minute=i)) for i, text in enumerate(kept)]
    reader = app.reader()
    found = timeline(reader, Span()).episodes
    assert [e.text for e in found] == [journal.tidy(text) for text in kept]
    assert [e.id for e in found] == [each.entry.id for each in done]
    for each in done:
        part = find_block(reader, each.entry.id)
        assert part is not None
        assert journal.parse(part[1].text, each.entry.id) == each.entry
    app.close()


def test_what_is_no_text_is_refused() -> None:
    for words in ("", " \n\t", "\r\n"):
        with pytest.raises(UsageError, match="no text"):
            compose(words, NOW)
    with pytest.raises(UsageError, match="UTF-8"):
        compose("bad \udcff", NOW)
    for project in ("[x]", "a\nb"):
        with pytest.raises(UsageError, match="brackets"):
            compose("text", NOW, project=project)


# -- which day ----------------------------------------------------------------


def test_yesterday_at_half_past_eleven_is_the_vaults(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """F13: reckoned in the user's zone, whatever zone the machine is in."""
    root = make_vault({".mindcache/config.toml": 'timezone = "America/Los_Angeles"\n'})
    late = datetime(2026, 11, 30, 7, 45, tzinfo=UTC)  # still the 29th over there
    app = App(str(root), str(root.parent / "c"), now=lambda: late)
    assert app.now() == datetime(2026, 11, 29, 23, 45)  # noqa: DTZ001  civil time
    span = parse_phrase("yesterday at 23:30", app.now())
    assert isinstance(span, Interval)
    done = write(app, "text", moment_in(span, app.now()))
    assert done.path == "journal/2026-11-28.md"
    found = timeline(app.reader(), Span(day="yesterday at 23:30"), app.now())
    assert [e.date for e in found.episodes] == ["2026-11-28T23:30"]
    assert not timeline(
        app.reader(), Span(day="yesterday at 23:31"), app.now()
    ).episodes
    app.close()


@pytest.mark.parametrize(
    ("zone", "day"),
    [("Pacific/Kiritimati", "2026-06-30"), ("America/Los_Angeles", "2026-06-29"),
     ("Pacific/Pago_Pago", "2026-06-29"), ("Asia/Kathmandu", "2026-06-29")],
)  # fmt: skip
def test_the_journals_day_is_the_zones(
    zone: str, day: str, make_vault: MakeVault
) -> None:
    """F1: on both sides of the date line."""
    root = make_vault({".mindcache/config.toml": f'timezone = "{zone}"\n'})
    noon = datetime(2026, 6, 29, 12, 30, tzinfo=UTC)
    app = App(str(root), str(root.parent / "c"), now=lambda: noon)
    done = write(app, "text")
    civil = noon.astimezone(ZoneInfo(zone))
    assert (done.path, done.entry.time) == (f"journal/{day}.md", f"{civil:%H:%M}")
    assert timeline(app.reader(), Span(day="today"), app.now()).episodes
    app.close()


def test_the_clock_goes_on_where_the_settings_broke(make_vault: MakeVault) -> None:
    root = make_vault({".mindcache/config.toml": 'timezone = "Pacific/Kiritimati"\n'})
    noon = datetime(2026, 6, 29, 12, 30, tzinfo=UTC)
    app = App(str(root), str(root.parent / "c"), now=lambda: noon)
    before = app.now()
    (root / ".mindcache/config.toml").write_text("timezone = \n")
    app.refresh()
    assert app.now() == before
    with pytest.raises(ConfigError):
        write(app, "text")
    assert not (root / "journal").exists()


def test_without_a_setting_it_is_the_machines(make_vault: MakeVault) -> None:
    root = make_vault({})
    civil = {}
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        result = run(root, "journal", "append", "text", "--json", TZ=zone)
        civil[zone] = json.loads(result.stdout)["date"][:13]
    # A day and an hour apart, give or take the minute between the two.
    hours = [datetime.fromisoformat(each + ":00") for each in civil.values()]
    assert 24 <= (hours[0] - hours[1]).total_seconds() / 3600 <= 25


def test_a_day_given_alone_has_the_time_of_the_clock() -> None:
    yesterday = parse_phrase("yesterday", NOW)
    assert isinstance(yesterday, Interval)
    assert moment_in(yesterday, NOW) == NOW.replace(day=29)
    month = parse_phrase("2026-10", NOW)
    assert isinstance(month, Interval)
    with pytest.raises(UsageError, match="one day"):
        moment_in(month, NOW)


# -- many at once, and the end in the middle ----------------------------------


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def run(root: Path, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mindcache", *args],
        cwd=root, env=environment(**more), capture_output=True, text=True, check=True,
    )  # fmt: skip


def start(root: Path, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "mindcache", "journal", "append", *args],
        cwd=root, env=environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_fifty_processes_lose_nothing(make_vault: MakeVault, make_app: MakeApp) -> None:
    """I1, I2: and a person who saves the same note meanwhile loses nothing either."""
    root = make_vault({"n.md": "a note"})
    at = ("--at", "2026-11-30T12:00")
    running = [start(root, f"entry {n}", *at) for n in range(50)]
    mine = 0
    vault = Vault(str(root))
    while any(process.poll() is None for process in running):
        time.sleep(0.5)
        if mine < 6 and (root / DAY).exists():
            before = (root / DAY).read_bytes()
            try:
                vault.replace(DAY, before + f"- my line {mine}\n".encode(), before)
            except Refused:
                continue
            mine += 1
    outcomes = [(p.communicate()[1], p.returncode) for p in running]
    assert {code for _, code in outcomes} == {0}, outcomes
    lines = (root / DAY).read_text().splitlines()
    assert lines[:4] == HEAD.splitlines()
    said = Counter(line.split(" ^")[0].partition(" entry ")[2] for line in lines[4:])
    assert said.pop("", 0) == mine
    assert said == Counter(str(n) for n in range(50))
    assert len({line.rpartition("^")[2] for line in lines if " ^j-" in line}) == 50
    assert sorted(p.name for p in (root / "journal").iterdir()) == ["2026-11-30.md"]
    episodes = timeline(make_app(root).reader(), Span(limit=99)).episodes
    assert len([e for e in episodes if e.text.startswith("entry ")]) == 50


def test_killed_in_the_middle_the_note_is_whole(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    before = HEAD + "".join(f"- 09:00 old {n} ^j-{n}\n" for n in range(1000))
    root = make_vault({DAY: before})
    whole = 0
    for delay in (0.15, 0.25, 0.3, 0.35, 0.4, 0.5, 0.7):
        process = start(root, "x" * 5000, "--at", "2026-11-30T12:00")
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        text = (root / DAY).read_text()
        assert text.startswith(before)
        added = text.removeprefix(before).splitlines()
        assert all(line.startswith("- 12:00 xxx") and " ^j-" in line for line in added)
        assert whole <= len(added) <= whole + 1
        whole = len(added)
    done = write(make_app(root), "last")
    assert (root / DAY).read_text().endswith(f"- 12:00 last ^{done.entry.id}\n")


def test_a_name_means_what_it_means_when_the_entry_is_written(
    make_vault: MakeVault,
) -> None:
    """A rename that is under way when an entry is asked for takes its link along."""
    root = make_vault({"Hub.md": "---\nid: m-1\n---\n", "a.md": "[[Hub]]"})
    app = App(str(root))
    app.reader()
    ended: list[tuple[int, str]] = []
    call = ("journal", "append", "Called", "--link", "m-1")
    other = threading.Thread(target=lambda: ended.append(play(root, *call)))
    with app.writing():
        other.start()
        time.sleep(1)  # long enough to have looked at what m-1 is called
        moving.move(app, moving.decide(app, {"Hub.md": "Hub of old.md"}))
    other.join()
    assert ended[0][0] == 0
    (entry,) = (root / "journal").iterdir()
    assert "[[Hub of old]]" in entry.read_text()
    assert app.reader().unresolved() == []
    app.close()
