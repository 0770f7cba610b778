"""How good surfaces are on real data: ``python -m bench`` replays them, writes docs/benchmarks.md.

Not part of the package that is installed. The data are found through ``SPOTHEIGHT_DATA``, or beside
the checkout; where they are absent there is nothing to replay.
"""
