"""The index: arrays and edges in, scores out.

Owns how chunks are embedded and compared, how words are scored, and how the
graph is walked. It owns no rows and no files: callers hand in what they read
from the cache. The modules in here do not know each other.
"""
