"""Lets ``python -m bench.celeba`` work."""

import os
from importlib import import_module

# One campaign at a time; threads would only wait for each other, and could add in another order.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

if __name__ == "__main__":
    import_module("bench.celeba.command").main(prog_name="python -m bench.celeba")
