#!/bin/sh
# Tries `make demo` and `make test` of the committed tree on an empty Debian, and says how long each took. Runs as root on Debian with debootstrap.
#   empty.sh [-c FILE]... [-e NAME]... [-m COMMAND]... [SUITE]...     SUITE: bookworm (Debian 12), trixie (Debian 13); else both
# The machine has minbase, git, make and ca-certificates, and the apt sources of this one. -c copies a file or folder of this machine (a
# certificate below /usr/local/share/ca-certificates, pip's settings), -e passes a variable of its environment (a proxy), -m runs
# another command. Machines and their logs stay below $TMPDIR/acklab-empty (else /var/tmp), for a look into them; nothing stays mounted.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
base=${TMPDIR:-/var/tmp}/acklab-empty

# In a mount namespace of its own, which ends with all its processes: inside MACHINE COMMAND
if [ "${1:-}" = inside ]; then
    machine=$2
    mount --make-rprivate /
    mount --bind "$machine" "$machine"
    cd "$machine"
    mount -t proc proc proc
    mount -t sysfs -o ro sysfs sys
    mount --rbind /dev dev
    mount -t tmpfs tmpfs run
    mkdir -p mnt
    pivot_root . mnt
    exec chroot . sh -c 'umount -l /mnt; cd; exec "$@"' sh sh -c "$3"
fi

copies='' variables='' commands=''
while getopts c:e:m: option; do
    case $option in
        c) copies="$copies $OPTARG" ;;
        e) variables="$variables $OPTARG=$(printenv "$OPTARG" || true)" ;;
        m) commands="$commands$OPTARG
" ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ -n "$commands" ] || commands='make demo
make test
'
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || { echo 'empty.sh needs root and debootstrap' >&2; exit 2; }
own=$(. /etc/os-release && echo "$VERSION_CODENAME")
status=0

for suite in ${*:-bookworm trixie}; do
    machine=$base/$suite
    echo "$suite: $machine"
    rm -rf "$machine"
    mkdir -p "$base"
    debootstrap --variant=minbase --include=git,make,ca-certificates "$suite" "$machine" >"$base/$suite.log"

    # This machine's sources, for that release.
    rm -f "$machine"/etc/apt/sources.list
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ ! -f "$file" ] || sed "s/\b$own\b/$suite/g" "$file" >"$machine$file"
    done
    cp /etc/resolv.conf /etc/hosts "$machine/etc/"
    for file in $copies; do
        mkdir -p "$machine${file%/*}"
        cp -R "$file" "$machine${file%/*}/"
    done
    git clone -q "$here" "$machine/root/acklab"

    printf '%s' "$commands" >"$base/$suite.commands"
    while read -r command; do
        start=$(date +%s)
        result=passed
        env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 $variables \
            unshare --mount --pid --fork --kill-child sh "$here/tools/empty.sh" inside "$machine" \
            "update-ca-certificates >/dev/null 2>&1; cd acklab; $command" \
            >>"$base/$suite.log" 2>&1 </dev/null || result=FAILED
        echo "$suite: $command: $result in $(($(date +%s) - start)) s (log: $base/$suite.log)"
        [ $result = passed ] || { status=1; break; }
    done <"$base/$suite.commands"
done
exit $status
