"""Joint distributions of several guessed attributes: sums over combinations, and their fit."""
