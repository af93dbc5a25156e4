"""Mindcache: a memory that is a folder of Markdown notes."""

import os

__version__ = "0.1.0"

# Our products are too small to share among threads: starting these costs a cold
# question a third of its time and a warm one four fifths. Numpy reads the variables
# when it is first imported; whoever set them keeps what was set.
for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
