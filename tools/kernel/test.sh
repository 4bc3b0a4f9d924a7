#!/bin/sh
# Builds the kernel of kernel.org, if it is not there, and tries on it what needs one: as this user, and with sudo as root. Debian has a
# package of the source, and needs no more than `make kernel`.
set -eu
version=6.12.117
export SOURCE="${XDG_CACHE_HOME:-$HOME/.cache}/acklab/kernel/linux-$version.tar.xz"
[ -f "$SOURCE" ] || curl --fail --silent --show-error --create-dirs --output "$SOURCE" "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-$version.tar.xz"
sudo apt-get install -y -q --no-install-recommends flex bison bc xz-utils patch libc6-dev
make setup kernel .venv/.testable
.venv/bin/python -m pytest tests/live/test_escapes.py tests/python/test_programs.py
sudo env "XDG_CACHE_HOME=${XDG_CACHE_HOME:-$HOME/.cache}" .venv/bin/python -m pytest tests/live/test_escapes.py tests/live/test_live_programs.py
