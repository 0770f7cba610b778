"""Regression of overlaps: what is seen of a detection near an object, and step after step."""
