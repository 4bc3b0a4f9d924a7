#!/bin/sh
# Gets what building acklab needs: a C compiler, Python with venv, Rust. As root on Debian from apt; Rust otherwise below .venv/rust, by
# PyPI's puccinialin, where Rust's server is reached. What cannot be had is named at once, with one line to paste.
#   needs.sh PYTHON [--check]     from the project's directory; --check installs nothing
set -eu
python=${1:-python3}
check=${2:-}
minimum=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

# at_least HAVE WANT: whether version HAVE is WANT or later
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

has_rust() {
    command -v cargo >/dev/null 2>&1 && at_least "$(rustc --version 2>/dev/null | cut -d ' ' -f 2 | cut -d - -f 1)" "$minimum"
}

# The packages of a Rust that is new enough. Debian's stable releases have it for the sake of browsers, under names of its own.
rust_packages() {
    for set in 'rustc cargo rust-clippy rustfmt' 'rustc-web cargo-web rust-web-clippy rustfmt-web'; do
        candidate=$(apt-cache policy "${set%% *}" 2>/dev/null | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')
        if at_least "$candidate" "$minimum"; then
            echo "$set"
            return
        fi
    done
}

# Sets what is missing, in words and as Debian packages; rust is what a package cannot give.
look() {
    missing='' packages='' rust=''
    command -v cc >/dev/null 2>&1 || {
        missing=', a C compiler'
        packages='gcc libc6-dev'
    }
    "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || {
        missing="$missing, Python 3.10 or later with venv (make PYTHON=python3.12 names another)"
        packages="$packages ${python##*/} ${python##*/}-venv"
    }
    has_rust || {
        missing="$missing, Rust $minimum or later"
        rust=$(rust_packages)
        packages="$packages $rust"
        [ -n "$rust" ] && rust='' || rust=missing
    }
    missing=${missing#, }
    packages=$(echo $packages)
}

look
[ -n "$missing" ] || exit 0

# Prints what apt says only where it fails.
apt() {
    output=$(DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" 2>&1) || printf '%s\n' "$output" | grep '^E:' >&2 || true
}
if [ -z "$check" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt update
    look
    if [ -n "$packages" ]; then
        echo "installing from apt: $packages"
        apt install --no-install-recommends --no-remove $packages
        look
    fi
fi

if [ -z "$check" ] && [ "$missing" = "Rust $minimum or later" ]; then
    echo 'installing Rust in .venv/rust'
    "$python" -m venv .venv
    own=$PWD/.venv/rust
    if .venv/bin/python -m pip install --quiet --target "$own/installer" 'puccinialin>=0.1.14' &&
        PYTHONPATH="$own/installer" .venv/bin/python -m puccinialin --location "$own" >/dev/null 2>"$own/log"; then
        # The compiler itself, which needs no variables. The tests and the explorer use the rest.
        ln -sfn "$own"/rustup/toolchains/*/bin "$own/bin"
        export RUSTUP_HOME="$own/rustup" CARGO_HOME="$own/cargo"
        "$own/cargo/bin/rustup" --quiet component add clippy rustfmt || true
        "$own/cargo/bin/rustup" --quiet target add wasm32-wasip1 || true
        look
    else
        grep . "$own/log" 2>/dev/null | tail -n 1 >&2 || true
        rm -rf "$own"
    fi
fi
[ -n "$missing" ] || exit 0

# One line to paste, where there is one.
line=''
if command -v apt-get >/dev/null 2>&1; then
    [ -z "$rust" ] || command -v curl >/dev/null 2>&1 || packages=$(echo $packages curl)
    shell='su -c'
    if [ "$(id -u)" = 0 ]; then shell='sh -c'; elif command -v sudo >/dev/null 2>&1; then shell='sudo sh -c'; fi
    [ -z "$packages" ] || line="$shell 'apt-get update; apt-get install -y $packages'"
fi
[ -z "$rust" ] || line="${line:+$line; }curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y"
{
    echo "acklab needs $missing"
    [ -z "$line" ] || echo "  $line"
} >&2
exit 1
