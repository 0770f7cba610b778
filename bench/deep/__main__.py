"""Lets ``python -m bench.deep`` work."""

import os
from importlib import import_module

# What is timed is timed on one thread, and the rest gains nothing from more.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

if __name__ == "__main__":
    import_module("bench.deep.command").main(prog_name="python -m bench.deep")
