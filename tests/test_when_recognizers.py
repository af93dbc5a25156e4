"""985 English sentences with their times as another project resolved them.

Their conventions, and how a reading is compared with them:

* A result has alternatives, as a rule one on each side of the reference time; a
  reading is right when it equals one of them, its start and its end both.
* The end of a range is named by its last piece's *beginning*: "from March to May" ends
  on 1 May, "until Friday" and "the last 3 days" end as Friday, or today, begin. Ours
  take their last piece in; `Phrase.last` is that piece, and its start is compared too.
* "After 1 January" starts on that day with the remark "after"; ours starts the day
  behind.
* "not resolved" (30 February, fiscal years, seasons) is right when nothing is read.

`exactly` counts what is equal without the second and third of these.

What is left of dates and ranges, 79 of 635, by reason:

====  ===============================================================================
 17   notations that nobody else writes or that are other things more often: "90 s",
      "=2019", "5.12", "cy18", "otd", "September-2020-23", "greater than 2015"
 10   relative to another day than now: "the same week", "the day before", "3 weeks later"
  9   a date without its year that they have only in the future ("2 weeks before
      Christmas", "the weekend") where the past is preferred
  8   single ones: "less than 3 days after tomorrow", "in two years since 2011", Eid
  7   "earlier this month" and "later this week": they cut months and weeks in halves,
      we at today
  6   "partner of the year", "the year before": no time is asked for
  4   "last Wednesday" on a Thursday: they mean last week's, we the latest
  4   a day and its time read as one ("Easter Monday at 10:30"), listed apart by them
  4   numbers without a word for time: "but not 1998", "11/20, 12 of Nov"
  4   "from the end of March": they start where March ends, we in its second half
  3   "end of the year": half of it to them, a third to us
  2   "fortnight": whole weeks to them, fourteen days up to now to us
  1   "this summer": we resolve it, they don't
====  ===============================================================================
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from mindcache.when import Phrase, find_phrases
from mindcache.when.civil import BEGINNING, END

DATA = Path(__file__).parents[2] / "shared/data/times/recognizers-en/DateTimeModel.json"
# Four sentences have no reference time; any will do for what they hold.
SOME_DAY = "2019-08-15"
DAY = timedelta(days=1)

# Just under what is reached; the goal for both together is 85.
FLOORS = {"date": 84.0, "daterange": 89.0, "both": 87.3, "exactly": 69.8}

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the shared data isn't here")


def cases() -> list[dict]:
    return json.loads(DATA.read_text(encoding="utf-8-sig"))


def read(case: dict) -> list[Phrase]:
    now = case.get("Context", {}).get("ReferenceDateTime", SOME_DAY)
    return find_phrases(case["Input"], datetime.fromisoformat(now))


def about(result: dict, phrases: list[Phrase]) -> Phrase | None:
    """The phrase that shares most characters with a result."""
    start, end = result["Start"], result["End"] + 1

    def shared(phrase: Phrase) -> int:
        return min(phrase.end, end) - max(phrase.start, start)

    best = max(phrases, key=shared, default=None)
    return best if best and shared(best) > 0 else None


def moment(text: str | None, otherwise: datetime) -> datetime:
    return datetime.fromisoformat(text) if text else otherwise


def is_exact(kind: str, value: dict, phrase: Phrase | None) -> bool:
    interval = phrase.interval if phrase else None
    if value.get("value") == "not resolved":
        return interval is None
    if interval is None:
        return False
    if kind in {"date", "datetime"}:
        start = datetime.fromisoformat(value["value"])
        return interval.start == start and (
            kind == "datetime" or interval.end == start + DAY
        )
    start = moment(value.get("start"), BEGINNING)
    return (interval.start, interval.end) == (
        start,
        moment(value.get("end"), END),
    )


def is_right(kind: str, value: dict, phrase: Phrase | None) -> bool:
    """Equal in their conventions."""
    if is_exact(kind, value, phrase):
        return True
    if phrase is None or phrase.interval is None or kind != "daterange":
        return False
    if value.get("value") == "not resolved":
        return False
    start = moment(value.get("start"), BEGINNING)
    starts = {start}
    if value.get("Mod") == "after" and "start" in value:
        starts.add(start + DAY)
    ends = {phrase.interval.end}
    if phrase.last:
        ends.add(phrase.last.start)
    return phrase.interval.start in starts and moment(value.get("end"), END) in ends


def test_dates_and_ranges_are_read_as_people_resolved_them(capsys) -> None:
    seen: Counter[str] = Counter()
    right: Counter[str] = Counter()
    exact: Counter[str] = Counter()
    missed: list[str] = []
    for case in cases():
        phrases = read(case)
        for result in case["Results"]:
            name = result.get("TypeName") or result["Typename"]
            kind = name.partition(".")[2]
            if kind not in {"date", "daterange", "datetime", "datetimerange"}:
                continue
            values = result["Resolution"]["values"]
            phrase = about(result, phrases)
            is_good = any(is_right(kind, value, phrase) for value in values)
            seen[kind] += 1
            right[kind] += is_good
            exact[kind] += any(is_exact(kind, value, phrase) for value in values)
            if kind.startswith("date") and "time" not in kind and not is_good:
                missed.append(f"  {result['Text']!r}: {phrase and phrase.interval}")
    total = seen["date"] + seen["daterange"]
    reached = {kind: 100 * right[kind] / seen[kind] for kind in seen}
    reached["both"] = 100 * (right["date"] + right["daterange"]) / total
    reached["exactly"] = 100 * (exact["date"] + exact["daterange"]) / total
    with capsys.disabled():
        sys.stdout.writelines(
            f"\n  {kind:14} {seen.get(kind, total):4} results  {share:5.1f} % right"
            for kind, share in reached.items()
        )
    sys.stdout.write("\n".join([f"{len(missed)} missed", *missed, ""]))
    for kind, floor in FLOORS.items():
        assert reached[kind] >= floor, kind
    assert reached["both"] >= 85


def test_sentences_without_a_time_give_none() -> None:
    quiet = [case for case in cases() if not case["Results"]]
    assert len(quiet) == 67
    found = {
        case["Input"]: [p.text for p in phrases]
        for case in quiet
        if (phrases := [p for p in read(case) if p.interval])
    }
    assert found == {}


def test_sentences_without_dates_give_none() -> None:
    """Durations and sets ("every Monday", "weekly") are no dates."""
    others = [
        case
        for case in cases()
        if case["Results"]
        and {r.get("TypeName", "").partition(".")[2] for r in case["Results"]}
        <= {"duration", "set"}
    ]
    found = {
        case["Input"]: [p.text for p in phrases]
        for case in others
        if (phrases := [p for p in read(case) if p.interval])
    }
    assert len(others) > 70
    assert found == {}
