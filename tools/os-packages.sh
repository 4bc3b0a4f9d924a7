#!/bin/sh
# The programs some tests use beside what `make setup` installs. As root on Debian, installs those that are missing and
# says so; otherwise names them and what is skipped without them. Never fails: the tests skip what they cannot do.
set -u

# command, Debian package, what is skipped without it
needs='ns ns2 the comparison of fresh random scenarios with ns-2
tshark tshark the second opinion on captures
tcptrace tcptrace the third
chromium chromium the look at the reports in a browser
valgrind valgrind the count of the instructions a segment takes
ip iproute2 live runs
clang clang whether the eBPF congestion control built in is what its sources give'

printf '%s\n' "$needs" | while read -r command package skipped; do
    command -v "$command" >/dev/null 2>&1 && continue
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        printf 'installing the Debian package %s\n' "$package"
        export DEBIAN_FRONTEND=noninteractive
        if ! apt-get install -y -q --no-install-recommends "$package" >/dev/null 2>&1; then
            apt-get update -q >/dev/null 2>&1
            apt-get install -y -q --no-install-recommends "$package" >/dev/null 2>&1
        fi
    fi
    command -v "$command" >/dev/null 2>&1 ||
        printf 'no %s (Debian package %s): %s will be skipped\n' "$command" "$package" "$skipped"
done
