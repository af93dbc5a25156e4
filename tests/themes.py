"""Notes about a few subjects, far enough apart that any clustering finds them."""

from __future__ import annotations

BREAD = {
    "Sourdough starter": "Feed the sourdough starter with rye flour and water every evening.",
    "Rye loaf": "The rye loaf needs a long proof; sourdough and rye flour make it dense.",
    "Baking stone": "Heat the oven and the baking stone for an hour before the bread goes in.",
    "Wheat dough": "Knead the wheat dough until the gluten holds; wet dough bakes open bread.",
    "Crust": "Steam in the oven gives the loaf a crust; bake the bread dark.",
    "Flour order": "Wheat flour and rye flour come from the mill in sacks for the bakery bread.",
}
BOATS = {
    "Bilge pump": "The bilge pump of the boat runs on its own battery below the cabin deck.",
    "Mooring lines": "Double the mooring lines of the boat before a storm reaches the harbour.",
    "Antifouling": "Paint the hull of the boat with antifouling before it goes into the harbour.",
    "Mainsail": "The mainsail of the sailing boat tore along the seam; the sailmaker has it.",
    "Outboard": "The outboard engine of the dinghy needs a new impeller before sailing.",
    "Harbour fees": "The harbour master takes mooring fees for each boat by the metre of hull.",
}
QUERIES = {
    "Slow query": "The database query was slow because Postgres scanned the table without an index.",
    "Vacuum": "Postgres vacuum cleans dead rows of a table; without it the database grows.",
    "Replication": "The Postgres replica follows the primary database by streaming replication.",
    "Index choice": "A database index on the column lets Postgres answer the query at once.",
    "Backup": "The nightly database dump of Postgres is restored on a test server.",
    "Connection pool": "The pool keeps Postgres connections open so that a database query is fast.",
}
THEMES = {"bread": BREAD, "boats": BOATS, "queries": QUERIES}


def note(text: str, created: str = "2026-11-10") -> str:
    return f"---\ncreated: {created}\n---\n{text}\n"


def notes(*names: str, created: str = "2026-11-10") -> dict[str, str]:
    """The notes of these themes by their paths."""
    return {
        f"memory/{title}.md": note(text, created)
        for name in names or THEMES
        for title, text in THEMES[name].items()
    }
