"""Lets ``python -m bench.twins`` work."""

import os
from importlib import import_module

# Campaigns run side by side; threads of linear algebra would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if __name__ == "__main__":
    import_module("bench.twins.command").main(prog_name="python -m bench.twins")
