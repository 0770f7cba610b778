"""How large and how tangled the package is: ``python -m bench.house`` counts it, as Markdown.

A newcomer pays for every function and file that one command goes through, for every place that has
to know of a new algorithm, and for every name that means two things. This prints those counts
beside the aims that were set for them, so that a change can be held against the figures before it.
Two kinds: what a running command touches (``touched``, a profiler), and what the files say by
themselves (``shape``, read with ``ast``; nothing is imported for it).
"""
