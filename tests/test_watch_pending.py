"""When hints become due: nothing lost, nothing too early, nothing too late."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from mindcache.watch.pending import FLOOD, HARD, HELD, QUIET, Pending, Work

# What happens, and how many seconds after the step before. Few paths, so that
# they meet; gaps around every limit.
GAPS = st.sampled_from([0.0, 0.01, 0.1, 0.29, 0.3, 0.31, 0.5, 0.75, 0.8, 2.9, 3.1])
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["touched", "vanished", "everything", "at once", "take"]),
        st.sampled_from(["a.md", "b.md", "c/d.md"]),
        GAPS,
    ),
    max_size=40,
)
# Sums of tenths are not exact.
EPSILON = 1e-9


@dataclass
class Model:
    """What a patient observer knows of the hints that still wait."""

    first: dict[str, float] = field(default_factory=dict)
    last: dict[str, tuple[str, float]] = field(default_factory=dict)
    scan_first: float | None = None

    def hint(self, kind: str, path: str, now: float) -> None:
        self.first.setdefault(path, now)
        self.last[path] = (kind, now)

    def settle(self, work: Work) -> None:
        for path in list(self.first) if work.scan else work.paths:
            del self.first[path]
            del self.last[path]
        if work.scan:
            self.scan_first = None


@given(STEPS)
def test_nothing_is_lost_early_or_late(steps: list[tuple[str, str, float]]) -> None:
    pending, model, now = Pending(), Model(), 0.0
    hurried = False
    for kind, path, gap in steps:
        # The loop sleeps until something is due, so it never oversleeps.
        end = now + gap
        while (due := pending.next_due()) is not None and due <= end:
            now = max(now, due)
            take(pending, model, now, hurried)
            hurried = hurried and model.scan_first is not None
        now = end
        if kind == "take":
            take(pending, model, now, hurried)
        elif kind in {"touched", "vanished"}:
            due = getattr(pending, kind)(path, now)
            model.hint(kind, path, now)
            assert now < due <= model.first[path] + HARD + EPSILON or hurried
            assert due >= pending.next_due()
        else:
            pending.everything(now, at_once=kind == "at once")
            hurried = hurried or kind == "at once"
            model.scan_first = min([now, *model.first.values()])
        # Nothing waits longer than the hard limit, whatever came after it.
        due = pending.next_due()
        assert (due is None) == (not model.first and model.scan_first is None)
        if due is not None:
            assert due <= min([*model.first.values(), now]) + HARD + EPSILON
    while (due := pending.next_due()) is not None:
        now = max(now, due)
        assert take(pending, model, now, hurried)
        hurried = False
    assert not model.first
    assert model.scan_first is None
    assert len(pending) == 0


def take(pending: Pending, model: Model, now: float, hurried: bool) -> Work:
    work = pending.take(now)
    if work.scan:
        assert not work.paths
        lasts = [last for _, last in model.last.values()]
        rested = all(now - last >= QUIET - EPSILON for last in lasts)
        old = min([*model.first.values(), now, model.scan_first or now])
        assert rested or hurried or now - old >= HARD - EPSILON
    for path in work.paths:
        kind, last = model.last[path]
        quiet = QUIET if kind == "touched" else HELD
        old = model.first[path]
        assert now - last >= quiet - EPSILON or now - old >= HARD - EPSILON
    assert list(work.paths) == sorted(set(work.paths))
    model.settle(work)
    return work


def test_a_touched_path_waits_until_it_is_quiet() -> None:
    pending = Pending()
    pending.touched("n.md", 10.0)
    pending.touched("n.md", 10.2)
    assert pending.take(10.4) == Work()
    assert pending.next_due() == 10.2 + QUIET
    assert pending.take(10.5) == Work(paths=("n.md",))
    assert pending.next_due() is None


def test_a_path_that_never_rests_is_looked_at_all_the_same() -> None:
    pending, looked = Pending(), []
    for tenth in range(100):
        pending.touched("log.md", tenth / 10)
        if pending.take(tenth / 10):
            looked.append(tenth / 10)
    assert looked == [3.0, 6.1, 9.2]


def test_a_vanished_path_is_held_and_back_again_waits_as_touched() -> None:
    pending = Pending()
    pending.vanished("n.md", 0.0)
    assert pending.take(HELD - 0.01) == Work()
    pending.touched("n.md", 0.7)
    assert pending.next_due() == 0.7 + QUIET
    assert pending.take(1.0).paths == ("n.md",)
    pending.touched("n.md", 2.0)
    pending.vanished("n.md", 2.1)
    assert pending.next_due() == 2.1 + HELD


def test_what_could_not_be_looked_at_is_due_at_once_unless_it_is_written_on() -> None:
    pending = Pending()
    pending.owed("n.md", 1.0)
    assert pending.take(1.0).paths == ("n.md",)
    pending.touched("n.md", 2.0)
    pending.owed("n.md", 2.1)
    assert pending.take(2.1) == Work()
    assert pending.take(2.0 + QUIET).paths == ("n.md",)


def test_a_flood_becomes_one_scan_and_stays_one() -> None:
    pending = Pending()
    for number in range(FLOOD):
        pending.touched(f"{number}.md", 0.0)
    assert len(pending) == FLOOD
    pending.vanished("one more.md", 0.1)
    assert len(pending) == 1
    pending.touched("and another.md", 0.2)
    assert len(pending) == 1
    assert pending.take(0.4) == Work()
    assert pending.take(0.2 + QUIET) == Work(scan=True)
    assert len(pending) == 0


def test_a_scan_is_due_no_later_than_what_it_stands_for() -> None:
    pending = Pending()
    for tenth in range(30):
        pending.touched("busy.md", tenth / 10)
    pending.everything(2.9)
    assert pending.next_due() == HARD
    assert pending.take(HARD) == Work(scan=True)


def test_a_scan_wanted_at_once_is_not_put_off_by_hints() -> None:
    pending = Pending()
    pending.everything(1.0)
    pending.everything(1.1, at_once=True)
    pending.touched("n.md", 1.1)
    assert pending.take(1.1) == Work(scan=True)


def test_work_is_true_only_when_there_is_some() -> None:
    assert not Work()
    assert Work(scan=True)
    assert Work(paths=("n.md",))
