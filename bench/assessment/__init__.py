"""The tables and figures of Ji et al. 2021, run anew: ``python -m bench.assessment``.

Everything runs on counts, many runs at once (``spotheight.simulate.many``); raw results are kept in
``.bench/assessment``, a summary in docs/assessment.json, and docs/assessment.md is written from it.
"""
