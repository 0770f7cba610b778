"""Ranked lists with noisy labels, replayed: tagging services and image classifiers."""
