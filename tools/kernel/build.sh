#!/bin/sh
# The kernel of `acklab run --kernel`: a user-mode Linux whose clock is virtual, built from Debian's source package.
#
#   build.sh                     Debian's linux-source-6.12
#   LINUX=6.1 build.sh           another version that is packaged
#   SOURCE=FILE.tar.xz build.sh  a source that is at hand
#
# The result is $XDG_CACHE_HOME/acklab/kernel/linux-VERSION-SUM; SUM is of source, configuration and patches. `linux` beside it is a link to
# the newest version, and ACKLAB_KERNEL names another. A kernel is GPL-2.0: it stays a program of its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/acklab/kernel
package=linux-source-${LINUX:-6.12}

missing=
for tool in gcc make flex bison bc xz patch; do command -v $tool >/dev/null || missing="$missing $tool"; done
[ -z "$missing" ] || {
    install="apt-get install --no-install-recommends$(echo "$missing" | sed 's/ xz/ xz-utils/') libc6-dev"
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "make kernel: these are missing:$missing ($install)" >&2; exit 1; }
    $install -y -q >/dev/null
}

if [ -n "${SOURCE:-}" ]; then
    version=$(basename "$SOURCE" .tar.xz | sed 's/^linux-//')
    sum=$(sha256sum <"$SOURCE")
else
    shown=$(apt-cache show --no-all-versions "$package" 2>/dev/null) || {
        echo "make kernel: there is no package $package here; SOURCE=linux-6.12.tar.xz names a source" >&2
        exit 1
    }
    version=$(echo "$shown" | sed -n 's/^Version: \([0-9.]*\).*/\1/p')
    sum=$(echo "$shown" | sed -n 's/^SHA256: //p')
fi
# A patch that a series of kernels needs otherwise stands in a folder of the series' name.
series=$(echo "$version" | cut -d. -f1,2)
patches=$(cd "$here" && for patch in *.patch; do [ -f "$series/$patch" ] && echo "$series/$patch" || echo "$patch"; done)
sum=$({ echo "$sum"; cd "$here" && cat config $patches; } | sha256sum | cut -c1-12)
kernel=$cache/linux-$version-$sum
mkdir -p "$cache"

if [ ! -x "$kernel" ]; then
    work=$(mktemp -d "$cache/build.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM HUP
    echo "make kernel: builds Linux $version in $work (about four minutes on two idle processors)"
    if [ -n "${SOURCE:-}" ]; then
        tar xJf "$SOURCE" -C "$work"
    else
        (cd "$work" && apt-get download -q "$package" >/dev/null 2>&1) || { echo "make kernel: apt-get download $package failed" >&2; exit 1; }
        dpkg-deb --fsys-tarfile "$work"/*.deb | tar xO --wildcards './usr/src/*.tar.xz' | tar xJ -C "$work"
        rm "$work"/*.deb
    fi
    cd "$work"/linux*/
    for patch in $patches; do patch -p1 -s <"$here/$patch"; done
    make -s ARCH=um KCONFIG_ALLCONFIG="$here/config" allnoconfig >/dev/null
    for line in $(grep '^CONFIG_' "$here/config"); do
        grep -qx "$line" .config || { echo "make kernel: Linux $version has no $line" >&2; exit 1; }
    done
    make -s ARCH=um -j"$(nproc)" linux
    strip -o "$work/kernel" linux
    mv "$work/kernel" "$kernel"
fi
newest=$(cd "$cache" && ls -d linux-[0-9]* | sed 's/-[0-9a-f]*$//' | sort -V | tail -n 1)
[ "$newest" != "linux-$version" ] || ln -sfn "$(basename "$kernel")" "$cache/linux"
echo "$kernel"
