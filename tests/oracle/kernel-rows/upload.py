"""An upload over TCP: `upload.py sink PORT BYTES [all]`, `upload.py send HOST PORT BYTES`. BYTES of a sink: what it asks for at once."""

import socket
import sys

if sys.argv[1] == "sink":
    listener, asked = socket.create_server(("", int(sys.argv[2]))), int(sys.argv[3])
    flags = socket.MSG_WAITALL if "all" in sys.argv else 0
    while True:
        connection, _ = listener.accept()
        while connection.recv(asked, flags):
            pass
        connection.close()
else:
    connection = socket.create_connection((sys.argv[2], int(sys.argv[3])))
    connection.sendall(bytes(int(sys.argv[4])))
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)
