#!/bin/sh
# Builds the programs of quic-go and quinn into DIR: sh examples/programs/quic/build.sh DIR. It needs go and cargo, and their registries.
# QUIC_GO and QUINN name clones of the libraries to build with instead.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?which directory?}"
to=$(cd -P "$1" && pwd)
go_clone=${QUIC_GO:+$(cd "$QUIC_GO" && pwd -P)}
quinn_clone=${QUINN:+$(cd "$QUINN" && pwd -P)}
copy=$to/source
rm -rf "$copy"
cp -R "$here" "$copy"
cd "$copy/quic-go"
if [ -n "$go_clone" ]; then
    go mod edit -replace "github.com/quic-go/quic-go=$go_clone"
    go mod tidy
fi
CGO_ENABLED=0 go build -trimpath -o "$to/quic-go" .
cd "$copy/quinn"
if [ -n "$quinn_clone" ]; then
    sed -i "s|^quinn = { version = \"[^\"]*\"|quinn = { path = \"$quinn_clone/quinn\"|" Cargo.toml
fi
cargo build --quiet --release --target-dir "$to/target"
cp "$to/target/release/quinn-bytes" "$to/quinn"
