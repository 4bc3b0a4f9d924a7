"""A download over the kernel's TCP: `tcp.py server PORT`, `tcp.py client HOST PORT REQUEST`.

The client sends its request, a line, and reads the answer to the end.
"""

import socket
import sys
import time


def server(port: int) -> None:
    listener = socket.create_server(("", port))
    while True:
        connection, _ = listener.accept()
        # `BYTES`, or `BYTES/PIECE/MS`, which is written in pieces with a pause after each.
        left, *paces = map(int, connection.recv(64).split(b"/"))
        piece, pause = paces or [1 << 16, 0]
        while left > 0:
            size = min(left, piece)
            connection.sendall(bytes(size))
            left -= size
            if pause:
                time.sleep(pause / 1000)
        connection.close()


def client(host: str, port: int, asked: str) -> None:
    begin = time.monotonic()
    connection = socket.create_connection((host, port))
    connection.sendall(asked.encode() + b"\n")
    got = 0
    while piece := connection.recv(1 << 16):
        got += len(piece)
    print(f"{got} bytes in {time.monotonic() - begin:.9f} s", flush=True)


def main(words: list[str]) -> None:
    if len(words) == 2 and words[0] == "server":
        server(int(words[1]))
    elif len(words) == 4 and words[0] == "client":
        client(words[1], int(words[2]), words[3])
    else:
        raise SystemExit("usage: tcp.py server PORT | client HOST PORT REQUEST")


if __name__ == "__main__":
    main(sys.argv[1:])
