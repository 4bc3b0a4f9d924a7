#!/bin/sh
# Rust's library for WebAssembly (wasm32-wasip1), which the explorer is compiled with: fetches it with rustup where that is
# there, or says in one line how to get it.
set -u

[ -d "$(rustc --print sysroot 2>/dev/null)/lib/rustlib/wasm32-wasip1" ] && exit 0
rustup target add wasm32-wasip1 >/dev/null 2>&1 && exit 0
echo "no explorer: rustup target add wasm32-wasip1 (beside Debian's rustc: apt-get install libstd-rust-dev-wasm32)" >&2
exit 1
