"""What a run leaves: a directory, its tables, progress, interrupts."""
