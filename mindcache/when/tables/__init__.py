"""Word tables, one module per language; `words.lexicon` loads them by name."""
