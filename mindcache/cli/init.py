"""`mindcache init`: lay down the vault template."""

from __future__ import annotations

import os

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command

__all__ = ["init"]


@command("mindcache init ~/notes", "mindcache init . --no-default")
@click.argument("folder", metavar="[DIR]", required=False)
@click.option(
    "--default/--no-default",
    "default",
    default=True,
    show_default=True,
    help="Remember the vault as this machine's default, if it has none yet.",
)
def init(call: Call, folder: str | None, default: bool) -> None:
    """Lay down the folders, forms and settings of a vault in DIR.

    DIR is made if it isn't there; without it the current folder is meant. A file
    that exists is never touched, so a vault of your own can be fitted out too.
    """
    from mindcache import config
    from mindcache.errors import Refused, UsageError
    from mindcache.vault import Vault, template_folder

    if folder is not None and not folder.strip():
        raise UsageError("DIR is empty", mend="give a folder; . is the current one")
    wanted = os.path.expanduser(folder or call.vault or ".")
    root = os.path.realpath(
        wanted if os.path.isabs(wanted) else os.path.join(call.here, wanted)
    )
    if os.path.lexists(root) and not os.path.isdir(root):
        raise Refused(f"{root} is not a folder", mend="choose another place")
    around = _vault_around(root)
    os.makedirs(root, exist_ok=True)
    written, kept = Vault(root).lay_down(template_folder())
    became_default = default and config.remember_vault(root)
    if around:
        output.remark(
            f"mindcache: {output.path_text(root)} lies in the vault"
            f" {output.path_text(around)}, whose notes its notes are, too"
            " (name it in that one's .mindcacheignore, or move it)"
        )
    if call.json:
        from mindcache import wire

        result = {
            "vault": root,
            "written": written,
            "kept": kept,
            "default": became_default,
        }
        output.print_json(wire.merged(result))
        return
    output.say(
        f"{output.path_text(root)}: {output.counted(len(written), 'file')} written"
    )
    for path in kept:
        output.say(f"  kept: {output.path_text(path)}")
    if became_default:
        output.say(f"It is now the default vault ({config.machine_config_path()}).")
    output.say('Next: write a note in it, then mindcache recall "…".')


def _vault_around(root: str) -> str:
    """The vault that a folder lies in, "" for none."""
    above = os.path.dirname(root)
    while above != os.path.dirname(above):
        names = (".mindcache", ".obsidian")
        if any(os.path.isdir(os.path.join(above, each)) for each in names):
            return above
        above = os.path.dirname(above)
    return ""
