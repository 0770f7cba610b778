"""Reading: from any table, a file or a frame, to columns under our own names."""
