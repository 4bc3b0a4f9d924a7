"""``sysctl`` settings among a script's commands. Commands are text to be read: none is ever executed."""

from __future__ import annotations

import math
import re

#: Settings a script may make: those of TCP.
_NAME = re.compile(r"net[./]ipv4[./](tcp_[a-z0-9_]+)$")
_SETTING = re.compile(r"(?:^|\s)([a-z0-9_./]+)\s*=\s*(\"[^\"]*\"|'[^']*'|\S+)")
#: What packetdrill's suites set first (`defaults.sh` of google/packetdrill and of the kernel's selftests), where it differs
#: from a new namespace.
USUAL = {
    "tcp_rmem": "4096 540000 15728640",
    "tcp_wmem": "4096 262144 4194304",
    "tcp_syn_retries": "5",
    "tcp_slow_start_after_idle": "0",
    "tcp_early_retrans": "4",
    "tcp_ecn": "0",
    "tcp_fastopen": "0x70403",
}


#: A product of numbers in the shell's arithmetic, as in ``$((15*1024*1024))``.
_PRODUCT = re.compile(r"\$\(\(([0-9]{1,12}(?:\*[0-9]{1,12}){0,3})\)\)")
#: What else of a command the machine does: a queue of the device, its MTU, a route by it, what TCP remembers of peers, a file of zeros in
#: memory.
_DEVICE = re.compile(
    r"(?:/bin/)?rm -f /tmp/[a-z0-9_]{1,40}|(?:/bin/)?dd bs=[0-9]{1,5} count=[0-9]{1,4} if=/dev/zero of=/tmp/[a-z0-9_]{1,40}(?: status=none)?|"
    r"tc qdisc (?:add|replace|del|delete) dev tun0 root(?: (?:pfifo|fq))?(?: limit [0-9]{1,6})?|ip link set dev tun0 mtu [0-9]{2,5}|"
    r"ip tcp_metrics flush all|"
    r"ip (?:-6 )?route (?:add|change|replace) [0-9a-fA-F.:]{2,39} via [0-9a-fA-F.:]{2,39} dev tun0(?: (?:advmss|mtu|mtu lock|initcwnd|initrwnd) [0-9]{1,5}){0,4}"
)


def device(line: str) -> list[str] | None:
    """The words of a line that sets something of the script's device, or makes or removes a file; None for any other line."""
    line = re.split(r" (?:2|&)?>", line)[0].strip()
    # The default route has no entry of a peer's own that could be changed, as packetdrill's has.
    return line.replace(" route change ", " route replace ").split() if _DEVICE.fullmatch(line) else None


def offloads(line: str) -> list[tuple[str, bool]]:
    """The offloads of the script's device that a line switches, each with whether it is on then; none for any other line."""
    words = line.split()
    if words[:3] != ["ethtool", "-K", "tun0"] or not re.fullmatch(
        r"( (tso|gso|gro) (on|off))+", "".join(f" {word}" for word in words[3:])
    ):
        return []
    return [(name, state == "on") for name, state in zip(words[3::2], words[4::2], strict=True)]


def with_defaults(text: str, defaults: str) -> str:
    """A command that runs ``defaults.sh``, with the settings of that file's text in its place, on the same line."""
    found, _ = settings(defaults)
    order = "; ".join(f'sysctl -q net.ipv4.{name}="{value}"' for name, value in found.items())
    return re.sub(r"[^\s;`]*\bdefaults\.sh\b", lambda _: order or "true", text)


def settings(text: str) -> tuple[dict[str, str], list[str]]:
    """What a command sets, by the part of the name after ``net.ipv4.``, and the lines that set nothing here.

    What follows ``||`` counts, too.
    """
    found: dict[str, str] = {}
    rest: list[str] = []
    text = _PRODUCT.sub(lambda match: str(math.prod(map(int, match[1].split("*")))), text)
    for line in re.split(r"[\n;]|&&|\|\|", text.replace("\\\n", " ")):
        line = re.split(r" &?>", line)[0].strip()
        program = line.split(" ")[0].rpartition("/")[2] if line else ""
        if not line or line.startswith("#"):
            continue
        if program == "defaults.sh":
            found |= USUAL
            continue
        if program.startswith("sysctl_restore"):
            continue
        pairs = _SETTING.findall(line.removeprefix("sudo ")) if program in ("sysctl", "set_sysctls.py") else []
        names = [_NAME.search(name.replace("/proc/sys/", "").replace("/", ".")) for name, _ in pairs]
        # `$` would be the shell's.
        if pairs and all(names) and not any("$" in value or "`" in value for _, value in pairs):
            found |= {match[1]: value.strip("\"'") for match, (_, value) in zip(names, pairs, strict=True) if match}
        else:
            rest.append(line)
    return found, rest
