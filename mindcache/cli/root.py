"""The list of all commands."""

from __future__ import annotations

import click

from mindcache import __version__
from mindcache.cli.shape import Entry, Group, examples

__all__ = ["root"]

_HELP = """A memory in a folder of Markdown notes: indexed, linked, recalled.

The notes are the truth; what Mindcache keeps beside them can be deleted at any
time and is built again. Nothing is written into your notes unless a command
says so."""

root = Group(
    "mindcache",
    {
        "init": Entry("mindcache.cli.init:init", "Make a vault, or fit one out."),
        "recall": Entry("mindcache.cli.recall:recall", "Answer a question."),
        "search": Entry(
            "mindcache.cli.search:search", "Exact, semantic, graph, topic."
        ),
        "show": Entry("mindcache.cli.show:show", "Show one note."),
        "timeline": Entry("mindcache.cli.timeline:timeline", "What happened, when."),
        "topics": Entry("mindcache.cli.topics:topics", "What there is, as a tree."),
        "links": Entry("mindcache.cli.links:links", "Links of a note, or broken ones."),
        "plans": Entry("mindcache.cli.plans:plans", "What is planned, and when."),
        "plan": Entry("mindcache.cli.plans:plan", "Say what became of a plan."),
        "index": Entry("mindcache.cli.index:index", "Update and query the tag index."),
        "remember": Entry("mindcache.cli.remember:remember", "Write a new note."),
        "update": Entry("mindcache.cli.update:update", "Change a note."),
        "link": Entry("mindcache.cli.edges:link", "Draw an edge between notes."),
        "unlink": Entry("mindcache.cli.edges:unlink", "Take an edge away."),
        "retire": Entry("mindcache.cli.edges:retire", "Say what holds no longer."),
        "journal": Entry("mindcache.cli.journal:journal", "Note what happened."),
        "adopt": Entry("mindcache.cli.adopt:adopt", "Make plain notes memories."),
        "rename": Entry("mindcache.cli.move:rename", "Another name; links follow."),
        "move": Entry("mindcache.cli.move:move", "Another folder; links follow."),
        "archive": Entry("mindcache.cli.forget:archive", "Put notes aside."),
        "forget": Entry("mindcache.cli.forget:forget", "Throw notes away."),
        "restore": Entry("mindcache.cli.forget:restore", "Take them back."),
        "entity": Entry("mindcache.cli.entity:entity", "People and things; merge two."),
        "history": Entry("mindcache.cli.history:history", "What git knows of a note."),
        "git": Entry("mindcache.cli.git:git", "Share the vault by git."),
        "merge-driver": Entry("mindcache.cli.git:merge_driver", ""),
        "import": Entry("mindcache.cli.importing:importing", "Make notes of exports."),
        "export": Entry("mindcache.cli.exporting:exporting", "Take everything out."),
        "extract": Entry("mindcache.cli.extract:extract", "Notes of what texts say."),
        "digest": Entry("mindcache.cli.digest:digest", "Topics, fading, proposals."),
        "why-faint": Entry("mindcache.cli.why:why_faint", "Why a memory fades."),
        "lint": Entry("mindcache.cli.lint:lint", "Check notes against the contract."),
        "status": Entry(
            "mindcache.cli.status:status", "What is indexed, and what not."
        ),
        "watch": Entry("mindcache.cli.daemon:watch", "Keep the cache in step."),
        "daemon": Entry("mindcache.cli.daemon:daemon", "The same in the background."),
        "mcp": Entry("mindcache.cli.mcp:mcp", "Serve agents, over MCP."),
        "hook": Entry("mindcache.cli.hook:hook", "What Claude Code's hooks call."),
        "plugin": Entry("mindcache.cli.plugin:plugin", "The Claude Code plugin."),
        "doctor": Entry("mindcache.cli.doctor:doctor", "Find what is wrong; repair."),
        "config": Entry("mindcache.cli.config:config", "Show the settings."),
        "completion": Entry(
            "mindcache.cli.completion:completion", "Print a shell's completion script."
        ),
    },
    params=[],
    help=_HELP,
    epilog=examples(
        'mindcache recall "what did we decide about pricing?"',
        "mindcache index query --client acme --tool postgres",
    ),
)
click.version_option(
    __version__, prog_name="mindcache", message="%(prog)s %(version)s"
)(root)
