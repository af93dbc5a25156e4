"""Snowball's stemmers, each loaded when a word needs it.

snowballstemmer loads all of its thirty languages at once, which takes longer than a tag
query; with PyStemmer beside it, it loads none. So its modules are taken one by one,
past the package that would load the others; the stems are the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from types import ModuleType
from typing import Final, Protocol

__all__ = ["algorithms", "stemmer"]

_PACKAGE: Final = "snowballstemmer"
_OWN_PACKAGE: Final = "_mindcache_snowball"
# What Snowball has. Of a newer release we would use none that isn't here.
_KNOWN: Final = (
    "arabic armenian basque catalan czech danish dutch dutch_porter english esperanto"
    " estonian finnish french german greek hindi hungarian indonesian irish italian"
    " lithuanian nepali norwegian persian polish porter portuguese romanian russian"
    " serbian sesotho spanish swedish tamil turkish yiddish"
)


class Stemmer(Protocol):
    """One language's; not to be shared by threads, since it keeps its state."""

    def stemWord(self, word: str) -> str:  # noqa: N802  as Snowball calls it
        """The stem of a word in small letters."""
        ...


@cache
def algorithms() -> frozenset[str]:
    """The names of all stemmers that are installed."""
    whole = _compiled()
    if whole is not None:
        return frozenset(whole.algorithms())
    where = _folders()
    return frozenset(
        name
        for name in _KNOWN.split()
        if PathFinder.find_spec(f"{_PACKAGE}.{name}_stemmer", where)
    )


def stemmer(algorithm: str) -> Stemmer:
    """A stemmer of its own for whoever asks: that takes a third of a microsecond.

    Raises:
        KeyError: there is none of this name.
    """
    return _maker(algorithm)()


@cache
def _maker(algorithm: str) -> Callable[[], Stemmer]:
    whole = _compiled()
    if whole is not None:
        return partial(whole.Stemmer, algorithm)
    if algorithm not in algorithms():
        raise KeyError(algorithm)
    name = "".join(part.capitalize() for part in algorithm.split("_")) + "Stemmer"
    made: Callable[[], Stemmer] = getattr(_alone(f"{algorithm}_stemmer"), name)
    return made


@cache
def _compiled() -> ModuleType | None:
    """PyStemmer, None where it isn't installed."""
    try:
        return import_module("Stemmer")
    except ImportError:
        return None


@cache
def _folders() -> list[str]:
    spec = find_spec(_PACKAGE)
    return list(spec.submodule_search_locations or ()) if spec else []


def _alone(name: str) -> ModuleType:
    """A module of the package without what the package loads by itself.

    It is found by way of a package of our own, which loads nothing and stays there: the
    real one is nobody's stand-in, whichever threads ask at once.
    """
    own = ModuleType(_OWN_PACKAGE)
    own.__path__ = _folders()
    sys.modules.setdefault(_OWN_PACKAGE, own)
    return import_module(f"{_OWN_PACKAGE}.{name}")
