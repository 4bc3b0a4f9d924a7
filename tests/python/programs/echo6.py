"""Over UDP and IPv6: without an argument sends back what comes; with a name, sends it two datagrams, one larger than a packet."""

import socket
import sys

with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as talk:
    if len(sys.argv) == 1:
        talk.bind(("", 7))
        while True:
            talk.sendto(*talk.recvfrom(65536))
    (*_, place), *_ = socket.getaddrinfo(sys.argv[1], 7, socket.AF_INET6)
    talk.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, 0xB8)
    talk.settimeout(5)
    for size in (1000, 4000):
        talk.sendto(bytes(size), place)
        print(len(talk.recv(65536)), place[0])
