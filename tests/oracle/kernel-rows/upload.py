"""An upload over TCP: `upload.py sink PORT BYTES [all]`, `upload.py send HOST PORT BYTES`. BYTES of a sink: what it asks for at once.

`pause SECONDS` behind a sink's BYTES: it sleeps after each that it reads.
"""

import socket
import sys
import time

if sys.argv[1] == "sink":
    listener, asked = socket.create_server(("", int(sys.argv[2]))), int(sys.argv[3])
    pause = float(sys.argv[5]) if "pause" in sys.argv else 0.0
    flags = socket.MSG_WAITALL if "all" in sys.argv else 0
    while True:
        connection, _ = listener.accept()
        while connection.recv(asked, flags):
            time.sleep(pause)
        connection.close()
else:
    connection = socket.create_connection((sys.argv[2], int(sys.argv[3])))
    connection.sendall(bytes(int(sys.argv[4])))
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)
