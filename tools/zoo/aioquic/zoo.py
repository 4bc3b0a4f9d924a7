"""A download over QUIC by aioquic: `zoo.py server PORT`, `zoo.py client HOST PORT REQUEST`.

The client sends its request on a stream of its own, and reads the answer to the end.
"""

import asyncio
import datetime
import os
import ssl
import sys
import time

from aioquic.asyncio import QuicConnectionProtocol, connect, serve
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import StreamDataReceived
from aioquic.quic.logger import QuicFileLogger
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PROTOCOL = "acklab-zoo"


def configuration(is_client: bool) -> QuicConfiguration:
    """The library's own; with QLOGDIR each connection leaves a log there."""
    place = os.environ.get("QLOGDIR")
    logger = QuicFileLogger(place) if place else None
    return QuicConfiguration(
        is_client=is_client, alpn_protocols=[PROTOCOL], verify_mode=ssl.CERT_NONE, quic_logger=logger
    )


class Server(QuicConnectionProtocol):
    """Answers each stream with the bytes that it asks for."""

    asked: dict[int, bytes] = {}

    def quic_event_received(self, event) -> None:
        if isinstance(event, StreamDataReceived):
            self.asked[event.stream_id] = self.asked.get(event.stream_id, b"") + event.data
            if event.end_stream:
                self.answering = asyncio.ensure_future(self.answer(event.stream_id, self.asked.pop(event.stream_id)))

    async def answer(self, stream: int, asked: bytes) -> None:
        """`BYTES`, or `BYTES/PIECE/MS`, which is written in pieces with a pause after each."""
        left, *paces = map(int, asked.split(b"/"))
        piece, pause = paces or [left, 0]
        while left > 0:
            size = min(left, piece)
            self._quic.send_stream_data(stream, bytes(size))
            self.transmit()
            left -= size
            await asyncio.sleep(pause / 1000)
        self._quic.send_stream_data(stream, b"", end_stream=True)
        self.transmit()


async def server(port: int) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "zoo")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=30))
    settings = configuration(False)
    settings.certificate, settings.private_key = made.sign(key, hashes.SHA256()), key
    await serve("0.0.0.0", port, configuration=settings, create_protocol=Server)
    await asyncio.Event().wait()


async def client(host: str, port: int, asked: str) -> None:
    begin = time.monotonic()
    async with connect(host, port, configuration=configuration(True)) as protocol:
        reader, writer = await protocol.create_stream()
        writer.write(asked.encode())
        writer.write_eof()
        got = 0
        while piece := await reader.read(1 << 16):
            got += len(piece)
        print(f"{got} bytes in {time.monotonic() - begin:.9f} s", flush=True)


def main(words: list[str]) -> None:
    if len(words) == 2 and words[0] == "server":
        asyncio.run(server(int(words[1])))
    elif len(words) == 4 and words[0] == "client":
        asyncio.run(client(words[1], int(words[2]), words[3]))
    else:
        raise SystemExit("usage: zoo.py server PORT | client HOST PORT REQUEST")


if __name__ == "__main__":
    main(sys.argv[1:])
