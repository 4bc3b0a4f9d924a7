#!/bin/sh
# The programs of `acklab zoo`, each with the stack that its lock file pins: `make zoo`. They go to ~/.cache/acklab/zoo (or $ZOO), never into a
# wheel. A member whose compiler is missing is left out. Sources are built from a copy, so that nothing here changes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=${ZOO:-${XDG_CACHE_HOME:-$HOME/.cache}/acklab/zoo}
mkdir -p "$place/build"
rm -rf "$place/build/source"
cp -R "$here" "$place/build/source"
cd "$place/build/source"

have() {
    command -v "$1" > /dev/null || { echo "$2: left out, there is no $1"; return 1; }
}

if have go "quic-go, x-net, netstack"; then
    for name in quic-go x-net netstack; do
        CGO_ENABLED=0 go build -trimpath -o "$place/$name" "./$name"
    done
fi
for name in quinn s2n-quic quiche smoltcp; do
    if have cargo "$name" && { [ "$name" != quiche ] || have cmake "$name"; }; then
        (cd "$name" && CARGO_TARGET_DIR="$place/build/$name" cargo build --locked --release --quiet)
        cp "$place/build/$name/release/zoo-$name" "$place/$name"
    fi
done
if have python3 aioquic; then
    python3 -m venv "$place/aioquic"
    "$place/aioquic/bin/python" -m pip install --quiet --requirement aioquic/requirements.txt
    cp aioquic/zoo.py "$place/aioquic/zoo.py"
fi
cp tcp/tcp.py "$place/tcp.py"
echo "in $place: $(ls "$place" | grep -v build | tr '\n' ' ')"
