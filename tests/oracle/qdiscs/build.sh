#!/bin/sh
# A kernel with judge.c in it: that of tools/kernel with the disciplines and the judge added. Prints its place.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$here"/../../../tools/kernel/* "$work"
cat "$here"/kernel/config >>"$work/config"
cp "$here"/kernel/makefile.patch "$work"
diff -u --label /dev/null --label b/net/sched/judge.c /dev/null "$here"/kernel/judge.c >"$work/judge.patch" || true
XDG_CACHE_HOME=${XDG_CACHE_HOME:-$HOME/.cache}/acklab-judge sh "$work/build.sh"
