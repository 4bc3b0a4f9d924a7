"""Takes one connection, and prints how many bytes came."""

import socket

with socket.create_server(("", 80)) as door:
    talk, _ = door.accept()
    with talk:
        print(len(b"".join(iter(lambda: talk.recv(65536), b""))))
