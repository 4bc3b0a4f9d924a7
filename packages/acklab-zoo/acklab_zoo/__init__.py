"""The zoo: stacks that people run, as unmodified programs over the same paths in virtual time, and how each acknowledges."""
