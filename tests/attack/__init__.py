"""The attack: faults at every call, races, odd files; ``python -m tests.attack.fuzz --help``."""

import sys
from pathlib import Path

# As pytest does for what tests share, so that a case can be run alone.
sys.path.append(str(Path(__file__).parents[1]))
