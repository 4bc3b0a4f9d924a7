"""``sysctl`` settings among a script's commands. Commands are text to be read: none is ever executed."""

from __future__ import annotations

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


def settings(text: str) -> tuple[dict[str, str], list[str]]:
    """What a command sets, by the part of the name after ``net.ipv4.``, and the lines that set nothing here."""
    found: dict[str, str] = {}
    rest: list[str] = []
    for line in re.split(r"[\n;]|&&", text.replace("\\\n", " ")):
        line = line.split(" >")[0].strip()
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
