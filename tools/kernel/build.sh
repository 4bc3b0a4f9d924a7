#!/bin/sh
# The kernel of `acklab run --virtual`: a user-mode Linux whose clock is virtual, built from Debian's source package.
#
#   build.sh                     Debian's linux-source-6.12, which is then the default
#   LINUX=7.3 build.sh           another series that is packaged: `acklab run --linux 7.3` chooses it
#   SOURCE=FILE build.sh         a source at hand, linux-VERSION.tar.xz or Debian's package of one
#   TREE=DIR build.sh            a kernel tree of one's own, as it stands; the tree is only read
#
# The result is $XDG_CACHE_HOME/acklab/kernel/linux-VERSION-SUM; SUM is of source, configuration and patches. `linux` beside it is a link to
# the default, and ACKLAB_KERNEL names another. A kernel is GPL-2.0: it stays a program of its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/acklab/kernel
package=linux-source-${LINUX:-6.12}

fail() {
    echo "make kernel: $*" >&2
    exit 1
}

missing=
for tool in gcc make flex bison bc xz patch; do command -v $tool >/dev/null || missing="$missing $tool"; done
[ -z "$missing" ] || {
    install="apt-get install --no-install-recommends$(echo "$missing" | sed 's/ xz/ xz-utils/') libc6-dev"
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || fail "these are missing:$missing ($install)"
    $install -y -q >/dev/null
}
mkdir -p "$cache"

# The files of a tree that are its own: what git knows or does not ignore, else all.
own() {
    cd "$1"
    if git ls-files --error-unmatch Makefile >/dev/null 2>&1; then
        git ls-files -z --cached --others --exclude-standard
    else
        find . -path ./.git -prune -o -type f -print0
    fi
}

# A patch that some kernels need otherwise stands in a folder, too, named after a series: the first that fits is taken.
adapt() {
    for patch in $(cd "$here" && ls *.patch); do
        # Newer kernels find the size of the registers at run time.
        [ $patch != registers.patch ] || grep -q HOST_FP_SIZE arch/x86/um/user-offsets.c || continue
        fits=
        for one in "$here/$patch" "$here"/*/"$patch"; do
            [ ! -f "$one" ] || ! patch -p1 -s -f --dry-run <"$one" >/dev/null 2>&1 || { fits=$one && break; }
        done
        [ -n "$fits" ] || fail "no form of $patch fits Linux $version; see $here"
        # With the old time a file is built again only where it differs.
        touched=$(sed -n 's,^+++ b/,,p' "$fits")
        for file in $touched; do [ ! -f "$file" ] || touch -r "$file" "$file.time"; done
        patch -p1 -s --no-backup-if-mismatch <"$fits"
        for file in $touched; do [ ! -f "$file.time" ] || { touch -r "$file.time" "$file" && rm "$file.time"; }; done
    done
}

# Builds the kernel of this directory into the file $1.
build() {
    make -s ARCH=um KCONFIG_ALLCONFIG="$here/config" allnoconfig >/dev/null
    for line in $(grep '^CONFIG_\|^# Only' "$here/config" | sed '/^# Only/,$d'); do
        grep -qx "$line" .config || fail "Linux $version has no $line"
    done
    make -s ARCH=um -j"$(nproc)" linux
    strip -o "$1" linux
}

if [ -n "${TREE:-}" ]; then
    tree=$(cd "$TREE" && pwd) && [ -f "$tree/arch/um/Kconfig" ] || fail "TREE=$TREE is no kernel tree: it has no arch/um/Kconfig"
    # A copy is kept, so that the next build of the same tree compiles only what has changed.
    work=$cache/trees/$({ echo "$tree" && cat "$here"/config "$here"/*.patch "$here"/*/*.patch; } | sha256sum | cut -c1-12)
    mkdir -p "$work"
    own "$tree" | (cd "$tree" && tar cf - --ignore-failed-read --null -T - 2>/dev/null) | tar xf - -C "$work"
    cd "$work"
    version=$(sed -n 's/^\(VERSION\|PATCHLEVEL\|SUBLEVEL\) = *//p' Makefile | paste -sd.)
    echo "make kernel: builds Linux $version of $tree in $work"
    adapt
    build "$work/stripped"
    kernel=$cache/linux-$version-tree-$(sha256sum <"$work/stripped" | cut -c1-12)
    mv "$work/stripped" "$kernel"
    echo "$kernel"
    exit
fi

if [ -n "${SOURCE:-}" ]; then
    [ -f "$SOURCE" ] || fail "there is no file SOURCE=$SOURCE"
    SOURCE=$(cd "$(dirname "$SOURCE")" && pwd)/$(basename "$SOURCE")
    # linux-7.3.4.tar.xz, or linux-source-7.3_7.3.4-1_all.deb
    version=$(basename "$SOURCE" .tar.xz | sed 's/^linux-//; s/^source-[^_]*_\([0-9.]*\).*/\1/')
    sum=$(sha256sum <"$SOURCE")
else
    # An empty answer: some other package only mentions it.
    shown=$(apt-cache show --no-all-versions "$package" 2>/dev/null) && [ -n "$shown" ] || fail "there is no package $package here. Add the Debian suite" \
        "that has it (linux-source-7.3 is in trixie-backports) to apt's sources, or name a source by SOURCE=linux-7.3.4.tar.xz or TREE=DIRECTORY"
    version=$(echo "$shown" | sed -n 's/^Version: \([0-9.]*\).*/\1/p')
    sum=$(echo "$shown" | sed -n 's/^SHA256: //p')
fi
# The same archive by either way: a kernel built from one is found by the other.
sum=$({ echo "${sum%% *}"; cat "$here"/config "$here"/*.patch "$here"/*/*.patch; } | sha256sum | cut -c1-12)
kernel=$cache/linux-$version-$sum

if [ ! -x "$kernel" ]; then
    work=$(mktemp -d "$cache/build.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM HUP
    echo "make kernel: builds Linux $version in $work (about four minutes on two idle processors)"
    archive=${SOURCE:-}
    if [ -z "$archive" ]; then
        (cd "$work" && apt-get download -q "$package" >/dev/null 2>&1) || fail "apt-get download $package failed"
        archive=$(echo "$work"/*.deb)
    fi
    case $archive in
    *.deb) dpkg-deb --fsys-tarfile "$archive" | tar xO --wildcards './usr/src/*.tar.xz' | tar xJ -C "$work" ;;
    *) tar xJf "$archive" -C "$work" ;;
    esac
    rm -f "$work"/*.deb
    cd "$work"/linux*/
    adapt
    build "$work/stripped"
    mv "$work/stripped" "$kernel"
fi
# The default is the kernel that is built without further words, or the only one.
[ -n "${LINUX:-}${SOURCE:-}" ] && [ -e "$cache/linux" ] || ln -sfn "$(basename "$kernel")" "$cache/linux"
echo "$kernel"
