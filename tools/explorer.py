#!/usr/bin/env python3
"""From the compiled program to the explorer's page: explorer.py WASM FOLDER. Also puts the program, packed, into the package."""

import sys
from pathlib import Path

from acklab.report import explorer

wasm, folder = map(Path, sys.argv[1:])
program = explorer.packed(wasm.read_bytes())
Path(explorer.__file__).with_name("assets").joinpath(explorer.PROGRAM).write_bytes(program)
path = explorer.write(folder, program)
print(f"{path}: {path.stat().st_size / 1e6:.2f} MB, of which the simulator {len(program) / 1e6:.2f} MB packed")
