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
npm npm the check of the scripts of pages and of their accessibility
clang clang whether the eBPF congestion control built in is what its sources give'

packages=$(printf '%s\n' "$needs" | while read -r command package skipped; do
    command -v "$command" >/dev/null 2>&1 || printf '%s ' "$package"
done)
if [ -n "$packages" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -q >/dev/null 2>&1
    # A package that this release lacks must not keep the others away.
    packages=$(for package in $packages; do apt-cache show "$package" >/dev/null 2>&1 && printf ' %s' "$package"; done)
    echo "installing from apt:$packages"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $packages >/dev/null 2>&1
fi
printf '%s\n' "$needs" | while read -r command package skipped; do
    command -v "$command" >/dev/null 2>&1 ||
        printf 'no %s (Debian package %s): %s will be skipped\n' "$command" "$package" "$skipped"
done

# What two of the tests get from npm, at versions that are fixed.
wanted=tests/python/report/package.json
if command -v npm >/dev/null 2>&1 && ! cmp -s "$wanted" .venv/npm/package.json; then
    mkdir -p .venv/npm
    if npm install --silent --no-audit --no-fund --ignore-scripts --no-save --no-package-lock --prefix .venv/npm \
        $(sed -n 's/^ *"\(axe-core\|typescript\)": "\(.*\)".*/\1@\2/p' "$wanted") >/dev/null 2>&1; then
        cp "$wanted" .venv/npm/package.json
    else
        printf 'npm cannot fetch axe-core and typescript: what uses them will be skipped\n'
    fi
fi
