"""A user-mode Linux with a virtual clock, as a program: acklab's ``kernel`` module finds it beside this file."""

from pathlib import Path

#: The program.
KERNEL = Path(__file__).with_name("linux")
