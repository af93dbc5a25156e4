"""The tables of the cache, as Peewee models.

There are no migrations: `read.SCHEMA` is part of the fingerprint, and a cache
with another fingerprint is built anew. A path is vault-relative, spelled as on
disk.
"""

from __future__ import annotations

import peewee

from mindcache.cache.read import FTS_COLUMNS

__all__ = ["EXTRA_SQL", "MODELS", "database"]

database = peewee.DatabaseProxy()  # `store` binds the models to an open file


class _Table(peewee.Model):
    class Meta:
        database = database
        legacy_table_names = False


class Meta_(_Table):  # noqa: N801  Peewee reserves the name Meta inside a model
    """Facts about the cache itself: fingerprint, whether it is complete."""

    key = peewee.TextField(primary_key=True)
    value = peewee.TextField()

    class Meta:
        table_name = "meta"


class Stamps(_Table):
    """Sync state: every file seen and how it looked when it was read last.

    `kind` is `note` (indexed), `held` (kept apart: a conflict copy or conflict
    markers), `skipped` (too large), or `asset` (any other file).
    """

    path = peewee.TextField(primary_key=True)
    kind = peewee.TextField()
    size = peewee.IntegerField()
    mtime_ns = peewee.IntegerField()
    inode = peewee.IntegerField()
    device = peewee.IntegerField()
    hash = peewee.BlobField()

    class Meta:
        without_rowid = True


class Files(_Table):
    """One row for each indexed note."""

    id = peewee.AutoField()
    path = peewee.TextField(unique=True)
    mtime = peewee.FloatField()
    summary = peewee.TextField()
    scope = peewee.TextField(index=True)


class Tags(_Table):
    """One row for each tag, by its key; `name` as it was first spelled."""

    id = peewee.AutoField()
    key = peewee.TextField(unique=True)
    name = peewee.TextField()


class FilesTags(_Table):
    """Which note has which tag, and how that note spells it."""

    file_id = peewee.IntegerField()
    tag_id = peewee.IntegerField()
    spelled = peewee.TextField()

    class Meta:
        primary_key = peewee.CompositeKey("file_id", "tag_id")
        indexes = ((("tag_id", "spelled"), False),)
        without_rowid = True


class Nodes(_Table):
    """What a note means as a memory; dates are civil, ISO, half-open."""

    file_id = peewee.IntegerField(primary_key=True)
    node_id = peewee.TextField(index=True)
    type = peewee.TextField(index=True)
    type_inferred = peewee.BooleanField()
    title = peewee.TextField()
    status = peewee.TextField(index=True)
    project = peewee.TextField()
    location = peewee.TextField()
    date_start = peewee.TextField(index=True)
    date_end = peewee.TextField()
    date_precise = peewee.BooleanField()
    dated_by = peewee.TextField()
    valid_from = peewee.TextField()
    valid_until = peewee.TextField()
    confidence = peewee.FloatField()
    importance = peewee.FloatField()
    pinned = peewee.BooleanField()
    under_contract = peewee.BooleanField()
    summary_inferred = peewee.BooleanField()
    lang = peewee.TextField(index=True)
    aliases = peewee.TextField()
    properties = peewee.TextField()


class Plans(_Table):
    """What decides when a note takes place (`recurrence.dump`), for those that do.

    `year` is the one whose window (`recurrence.window`) its occurrences are of,
    `is_cut` whether it has more in there than are kept.
    """

    file_id = peewee.IntegerField(primary_key=True)
    year = peewee.IntegerField()
    is_cut = peewee.BooleanField()
    source = peewee.TextField()


class Occurrences(_Table):
    """Each time that a plan takes place; see `recurrence.Occurrence`.

    `start` and `end` are civil in `zone`, `begins` and `ends` in the vault's zone, all
    of them ISO. `moved_from` is "" where it takes place as planned.
    """

    file_id = peewee.IntegerField()
    begins = peewee.TextField(index=True)
    ends = peewee.TextField()
    key = peewee.TextField()
    start = peewee.TextField()
    end = peewee.TextField()
    all_day = peewee.BooleanField()
    zone = peewee.TextField()
    status = peewee.TextField()
    because = peewee.TextField()
    anchor = peewee.TextField()
    line = peewee.IntegerField()
    moved_from = peewee.TextField()

    class Meta:
        primary_key = peewee.CompositeKey("file_id", "begins", "ends", "key", "line")
        without_rowid = True


class Names(_Table):
    """Every way to call a file, by the key under which links look it up."""

    key = peewee.TextField()
    kind = peewee.TextField()
    path = peewee.TextField(index=True)

    class Meta:
        primary_key = peewee.CompositeKey("key", "kind", "path")
        without_rowid = True


class Links(_Table):
    """Every link of every note; `resolved` is NULL where it leads nowhere."""

    id = peewee.AutoField()
    file_id = peewee.IntegerField()
    target = peewee.TextField()
    key = peewee.TextField(index=True)
    subpath = peewee.TextField()
    display = peewee.TextField()
    kind = peewee.TextField()
    line = peewee.IntegerField()
    field = peewee.TextField()
    relation = peewee.TextField()
    origin = peewee.TextField()
    weight = peewee.FloatField()
    resolved = peewee.TextField(null=True, index=True)
    resolved_by = peewee.TextField()

    class Meta:
        # Every search asks which of its candidates' notes were superseded, or derived.
        indexes = ((("file_id", "relation"), False),)


class PendingKeys(_Table):
    """Link keys whose names came or went since they were last resolved."""

    key = peewee.TextField(primary_key=True)

    class Meta:
        without_rowid = True


class PendingTags(_Table):
    """Tags that notes gained or lost since tags were last tidied."""

    tag_id = peewee.IntegerField(primary_key=True)


class Chunks(_Table):
    """The pieces of text that are searched, in reading order within a note.

    The chunks of one note have consecutive ids. `length` counts the body's
    index terms; `subject` holds the folded names of whom the text is by or about,
    a line each, "" where that isn't known.
    """

    id = peewee.IntegerField(primary_key=True)
    file_id = peewee.IntegerField()
    ord = peewee.IntegerField()
    anchor = peewee.TextField()
    heading = peewee.TextField()
    line_start = peewee.IntegerField()
    line_end = peewee.IntegerField()
    hash = peewee.BlobField(index=True)
    length = peewee.IntegerField()
    traits = peewee.IntegerField()
    subject = peewee.TextField()
    text = peewee.TextField()

    class Meta:
        indexes = ((("file_id", "ord"), False),)


class Entries(_Table):
    """Those chunks that are entries of the journal: when, and of which project.

    `block` is the entry's id without "^", `at` its civil minute, ISO.
    """

    file_id = peewee.IntegerField()
    ord = peewee.IntegerField()
    block = peewee.TextField(index=True)
    at = peewee.TextField(index=True)
    project = peewee.TextField()

    class Meta:
        primary_key = peewee.CompositeKey("file_id", "ord")
        without_rowid = True


class Segments(_Table):
    """int8 vectors, many to a row.

    That of chunk `c` is row `c % SEGMENT_ROWS` of segment `c // SEGMENT_ROWS`;
    rows of chunks that are gone hold old values.
    """

    id = peewee.IntegerField(primary_key=True)
    vectors = peewee.BlobField()


class Layout(_Table):
    """Beside each segment: file ids, body lengths, squared norms, traits; int32 each."""

    id = peewee.IntegerField(primary_key=True)
    files = peewee.BlobField()
    lengths = peewee.BlobField()
    norms = peewee.BlobField()
    traits = peewee.BlobField()


class Problems(_Table):
    """What is wrong with which file, as found when it was last read."""

    path = peewee.TextField(index=True)
    line = peewee.IntegerField()
    code = peewee.TextField()
    message = peewee.TextField()
    mend = peewee.TextField()
    severity = peewee.TextField()

    class Meta:
        primary_key = False


MODELS: tuple[type[peewee.Model], ...] = (
    Meta_,
    Stamps,
    Files,
    Tags,
    FilesTags,
    Nodes,
    Plans,
    Occurrences,
    Names,
    Links,
    PendingKeys,
    PendingTags,
    Chunks,
    Entries,
    Segments,
    Layout,
    Problems,
)

# The full-text table holds terms that our analyzer made, joined by spaces; the
# `ascii` tokenizer with these extra characters gives back exactly those terms.
_FTS = ", ".join(FTS_COLUMNS)
_FULL_TEXT = (
    f"CREATE VIRTUAL TABLE fts USING fts5({_FTS}, columnsize=0,"
    " tokenize=\"ascii tokenchars '+#_'\")"
)
_EDGES = (
    "CREATE VIEW edges AS SELECT s.path AS source, t.path AS target, l.relation,"
    " l.origin, l.weight, l.field, l.line FROM links l JOIN files s ON s.id = l.file_id"
    " JOIN files t ON t.path = l.resolved WHERE t.id != s.id"
)
# Most notes are about nobody: these cost the index nothing.
_SUBJECTS = "CREATE INDEX chunks_subject ON chunks (subject) WHERE subject != ''"
# Few notes end: every search asks which have.
_ENDS = "CREATE INDEX nodes_ends ON nodes (valid_until) WHERE valid_until != ''"
# As few took another's place, and every search asks for these too.
_HEIRS = (
    "CREATE INDEX links_heirs ON links (file_id, resolved)"
    " WHERE relation = 'superseded_by'"
)
_ALIASES = "CREATE INDEX names_aliases ON names (path, key) WHERE kind = 'alias'"
# Fewer still contradict another: every answer asks which of its notes do.
_CONTRADICTS = (
    "CREATE INDEX links_contradicts ON links (file_id) WHERE relation = 'contradicts'"
)
EXTRA_SQL = (
    _FULL_TEXT,
    "CREATE VIRTUAL TABLE fts_terms USING fts5vocab(fts, 'instance')",
    "CREATE VIRTUAL TABLE fts_vocabulary USING fts5vocab(fts, 'row')",
    _EDGES,
    _SUBJECTS,
    _ENDS,
    _HEIRS,
    _ALIASES,
    _CONTRADICTS,
)
