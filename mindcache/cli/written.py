"""What the commands that write have in common: reading texts, telling what was done."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.errors import Refused

if TYPE_CHECKING:
    from mindcache.scribe import Done
    from mindcache.write.rewrite import Rewrite

__all__ = ["own", "report", "tell_behind", "text_of"]


def own(text: str) -> str:
    """The text without what was recalled from here, with a remark where there was any.

    Raises UsageError where nothing else is left.
    """
    from mindcache.fence import own_words

    words = own_words(text)
    if words != text:
        output.remark("mindcache: what was recalled from the vault is left out")
    return words


def text_of(given: str) -> str:
    """The text itself, or what stdin holds where it is "-", without what was recalled.

    Raises Refused, and as `own` does.
    """
    if given != "-":
        return own(given)
    data = sys.stdin.buffer.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(
            f"stdin is no UTF-8: {error.reason} at byte {error.start:,}",
            mend="convert it first; nothing written",
        ) from error
    return own(text)


def report(call: Call, done: Done, *, dry_run: bool) -> None:
    """Print what was changed, as a diff where nothing was written yet."""
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.rewrites(done.rewrites, written=done.written))
    else:
        for each in done.rewrites:
            if each.is_change and dry_run:
                output.say(each.diff().rstrip("\n"))
            elif each.is_change:
                output.say(f"{output.path_text(each.path)}: {_said(each)}")
            for remark in each.remarks:
                output.say(f"  {output.single(remark)}")
        if not done.is_change:
            output.say("Nothing to change.")
        elif dry_run:
            output.say("Nothing written: this was a dry run.")
    tell_behind(call, done.behind)


def _said(rewrite: Rewrite) -> str:
    """Which properties are others now, and whether the text is."""
    names = [name for name in rewrite.changes if name != "updated_at"]
    text = ["text"] if rewrite.has_new_text else []
    return output.single(", ".join([*names, *text] or ["updated_at"]))


def tell_behind(call: Call, behind: Exception | None) -> None:
    """Say that what is written was not indexed, and end with that error's code."""
    if behind is None:
        return
    from mindcache.cli.failures import as_ours

    error = as_ours(behind, call.app.cache_folder)
    output.remark(f"mindcache: it is written, but not indexed yet: {error}")
    raise click.exceptions.Exit(error.exit_code)
