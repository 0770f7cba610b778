"""Terminal: answers and tables as lines of text."""
