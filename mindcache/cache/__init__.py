"""The disposable cache: a function of the vault, in one SQLite file.

`tables` says what is in it (Peewee), `store` is the only writer of rows, `read`
answers every question over the standard library's sqlite3 and nothing else, so
that a cold start stays light. Importing this package imports none of them.
"""
