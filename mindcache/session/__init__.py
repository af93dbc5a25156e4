"""What surrounds a session of Claude Code: what it is told, and what is kept of it.

`entry` is what a hook calls: the standard library alone until it has to be more.
`place` knows where it stands (vault, project, declared tags), `picture` what the cache
holds for that place, `start` what of it fits (pure), `spool` what is noted while a
session goes on, `transcript` and `entry_of` what becomes of it (pure), `work` does what
takes longer than a hook may, in a process of its own. `manifest` knows how the files of
a plugin have to look (pure).
"""
