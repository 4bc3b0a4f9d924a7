#!/bin/sh
# Checks that what building acklab needs is here; says how to get what is not. Run from the project's directory.
set -eu

python=${1:-python3}
missing=0
lacks() {
    printf 'acklab needs %s\n' "$1" >&2
    missing=1
}

# at_least HAVE WANT: whether version HAVE is WANT or later
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
if ! command -v cargo >/dev/null 2>&1; then
    lacks "Rust $rust or later to be built, and finds no cargo. Either of these helps:
  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh    # Rust; then make again
  $python -m pip install acklab                                    # acklab as a wheel, without Rust"
else
    have=$(rustc --version | cut -d ' ' -f 2 | cut -d - -f 1)
    at_least "$have" "$rust" || lacks "Rust $rust or later, and finds $have: rustup update stable"
fi

if ! command -v "$python" >/dev/null 2>&1; then
    lacks "Python 3.10 or later, and finds no $python; on Debian: apt-get install python3 python3-venv"
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    lacks "Python 3.10 or later, and finds $("$python" --version); name another with make PYTHON=python3.12"
elif ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
    lacks "Python's venv; on Debian: apt-get install python3-venv"
fi

command -v cc >/dev/null 2>&1 || lacks "a C compiler to link with; on Debian: apt-get install gcc libc6-dev"
exit $missing
