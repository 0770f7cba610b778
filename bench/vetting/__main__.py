"""Lets ``python -m bench.vetting`` work."""

import os
from importlib import import_module

# One campaign at a time; threads of linear algebra would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if __name__ == "__main__":
    import_module("bench.vetting.command").main(prog_name="python -m bench.vetting")
