"""Scripts in packetdrill's language: parsed, run against a stack, and judged line by line.

The language is that of packetdrill (Cardwell and others, USENIX ATC 2013; https://github.com/google/packetdrill). Only
``verb.py`` and ``boot.py`` import acklab, so that the kernel's first process can load this package alone; ``simulated.py`` is given what it needs.
"""
