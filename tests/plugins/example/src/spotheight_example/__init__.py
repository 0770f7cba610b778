"""An example of a package that brings algorithms of its own to spotheight."""
