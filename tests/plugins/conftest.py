"""The example is a package of its own, with tests of its own, which test_example.py runs."""

collect_ignore = ["example"]
