"""Lets ``python -m bench.house`` work."""

from bench.house.command import main

if __name__ == "__main__":
    main(prog_name="python -m bench.house")
