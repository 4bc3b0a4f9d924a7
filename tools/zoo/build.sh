#!/bin/sh
# The programs of tools/zoo, each with the stack that its files pin: `make zoo`. They go to ~/.cache/acklab/zoo (or $ZOO), never into a wheel.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=${ZOO:-${XDG_CACHE_HOME:-$HOME/.cache}/acklab/zoo}
mkdir -p "$place"

have() {
    command -v "$1" > /dev/null || { echo "$2 is left out: there is no $1"; return 1; }
}

if have go quic-go; then
    (cd "$here/quic-go" && go build -trimpath -o "$place/quic-go" .)
fi
if have cargo quinn; then
    CARGO_TARGET_DIR="$place/build/quinn" cargo build --locked --release --quiet --manifest-path "$here/quinn/Cargo.toml"
    cp "$place/build/quinn/release/zoo-quinn" "$place/quinn"
fi
if have python3 aioquic; then
    python3 -m venv "$place/aioquic"
    "$place/aioquic/bin/python" -m pip install --quiet aioquic==1.7.2
    cp "$here/aioquic/zoo.py" "$place/aioquic/zoo.py"
fi
echo "in $place"
