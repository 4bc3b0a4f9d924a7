"""Sends 300 kB to a server, prints how long that took, and leaves a file."""

import socket
import sys
import time
from pathlib import Path

begin = time.time()
with socket.create_connection((sys.argv[1], 80)) as talk:
    talk.sendall(bytes(300_000))
print(time.time() - begin)
Path("mine.txt").write_text("kept")
