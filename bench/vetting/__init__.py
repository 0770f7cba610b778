"""Ranked lists with noisy labels, replayed: tagging services, image classifiers, and detectors."""
