"""The BetaGP family of Piratla et al. 2021: ``python -m bench.deep``.

Its simple setting (Tables 8 and 9), its speed beside the bare GPyTorch objective, and its errors on
real tables. Rows are kept in ``.bench/deep``, a summary in docs/deep.json, from which alone
docs/deep.md is written.
"""
