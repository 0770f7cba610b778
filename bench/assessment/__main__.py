"""Lets ``python -m bench.assessment`` work."""

import os
from importlib import import_module

# The runs are one array already; threads of linear algebra would only queue behind each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if __name__ == "__main__":
    import_module("bench.assessment.command").main(prog_name="python -m bench.assessment")
