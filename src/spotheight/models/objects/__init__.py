"""Regression of overlaps: will a detection find an object, once its outline is known?"""
