"""A talk over weeks: sessions that each come to speak of several things."""

from __future__ import annotations

_SPOKEN = {
    "bread": (
        "The rye loaf came out dense again, so the dough needs a longer proof.",
        "Feed the sourdough starter with flour and water before you bake the loaf.",
        "I heat the oven and the baking stone for an hour, then the bread goes in.",
        "Steam in the oven gave the loaf of bread a dark crust this time.",
        "The mill sent rye flour and wheat flour for the dough in sacks.",
    ),
    "boats": (
        "The mainsail of the boat tore along the seam while we were sailing.",
        "Double the mooring lines of the boat before the storm reaches the harbour.",
        "We painted the hull of the boat with antifouling in the harbour.",
        "The outboard engine of the dinghy needs a new impeller before sailing.",
        "The bilge pump of the boat runs on its own battery below the deck.",
    ),
    "chess": (
        "I lost a rook in the endgame and then the whole chess match.",
        "Your opening with the queen pawn won you the chess tournament.",
        "The bishop pinned my knight, and the king could not castle.",
        "We analysed the endgame with pawns and a rook at the chess club.",
        "The chess club plays a tournament with clocks every spring.",
    ),
    "garden": (
        "The tomatoes in the garden bed need compost before the frost comes.",
        "I pruned the roses and the apple tree, and raked leaves off the lawn.",
        "Slugs ate the lettuce seedlings in the garden bed after the rain.",
        "Sow the beans and peas in rows once the garden soil is warm.",
        "The greenhouse keeps the tomatoes and seedlings from the frost.",
    ),
}
_SUBJECTS = tuple(_SPOKEN)


def session(number: int, day: int) -> str:
    """One session: some turns about each of three subjects, each turn a block."""
    lines = ["---", "type: event", f"time_start: 2026-11-{day:02}T18:00"]
    lines += ["entities:", '  - "[[Ada]]"', '  - "[[Ben]]"', "---"]
    for part in range(3):
        said = _SPOKEN[_SUBJECTS[(number + part) % 4]]
        for turn in range(5):
            who = ("Ada", "Ben")[turn % 2]
            text = said[(number + turn) % len(said)]
            lines += [f"**{who}:** {text} ^t{number}-{part}-{turn}", ""]
    return "\n".join(lines) + "\n"


def sessions(count: int) -> dict[str, str]:
    """So many sessions by their paths, one a day, and who speaks."""
    who = {f"people/{n}.md": f"---\ntype: entity\n---\n{n}.\n" for n in ("Ada", "Ben")}
    return who | {f"talks/Session {n}.md": session(n, n) for n in range(1, count + 1)}
