#!/bin/sh
# variants.sh BIN
# Shows, as TAP, what happens to builds that the kernel of this system cannot run: they run in an
# emulator where there is one, every record says so, and they enter no comparison unasked; else their
# rows are unavailable. Such a build is made of any: its interpreter is renamed to one that exists for
# the emulator alone, whatever this system can run by itself.
set -eu
cd "$(dirname "$0")/.."
. tests/tap.sh
bin=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own=$("$bin/collect" --version | sed 's/.*(//; s/)//')
mkdir -p "$scratch/build/$own/bin" "$scratch/path"
cp "$bin/collect" "$scratch/build/$own/bin"

# PROGRAM NAME EMULATOR: the tests with a build of that name, which is made from the program.
emulated() {
    program=$1 name=$2 emulator=$3
    interpreter=$(readelf -l "$program" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
    other=$(echo "$interpreter" | sed 's/^.lib/\/bil/')
    if [ -z "$interpreter" ]; then
        tap_skip "$name in $emulator" "it has no interpreter that could be renamed"
        return
    fi
    mkdir -p "$scratch/build/$name/bin" "$scratch/root$(dirname "$other")"
    LC_ALL=C sed "s|$interpreter|$other|" "$program" >"$scratch/build/$name/bin/collect"
    chmod +x "$scratch/build/$name/bin/collect"
    ln -sf "$interpreter" "$scratch/root$other"
    tap_command "$name cannot run by itself" sh -c '! "$1" --version 2>/dev/null' sh \
        "$scratch/build/$name/bin/collect"

    run="$scratch/build/$own/bin/collect run control.fixed bus_speed.read_all --x=16K --set=word=32 --repeat=4
        --min-time=0.01 --label=here --variants=$own,$name"
    tap_command "without an emulator a run goes on" env PATH="$scratch/path" $run -o "$scratch/none.csv"
    tap_equal "and the rows of $name are unavailable" "$(printf '8 %s ok\n8 %s unavailable\n' "$own" "$name" | sort)" \
        "$(statuses "$scratch/none.csv")"
    tap_command "the reason names the emulator" grep -q "$name,.*unavailable,.*and $emulator is not there" \
        "$scratch/none.csv"
    if ! command -v "$emulator" >/dev/null; then
        tap_skip "$name in $emulator" "$emulator is not there (package qemu-user)"
        return
    fi
    tap_command "$name runs in $emulator" env QEMU_LD_PREFIX="$scratch/root" $run -o "$scratch/all.csv"
    tap_equal "all rows have a value" "$(printf '8 %s ok\n8 %s ok\n' "$own" "$name" | sort)" \
        "$(statuses "$scratch/all.csv")"
    tap_equal "each sample of $name says in what it ran, and no other does" "emulated=$emulator $name" \
        "$(awk -F, '$2 == "sample" { print ($13 ~ /emulated=/ ? "emulated=" substr($13, index($13, "emulated=") + 9) : "native"), $9 }' \
            "$scratch/all.csv" | sed 's/;[^ ]*//' | sort -u | grep -v "^native $own\$")"
    tap_command "it describes itself from there" grep -q "variant=$name,build.compiler,.*,ok," "$scratch/all.csv"
    tap_command "the run is whole" "$bin/normalize" check -q "$scratch/all.csv"
    compare="$bin/report compare --by=variant --base=$own --new=$name $scratch/all.csv"
    tap_command "it is compared with nothing unasked" sh -c '"$@" | grep -q "^0 of 0 cells"' sh $compare
    tap_command "and is with --emulated" sh -c '"$@" | grep -q "of 2 cells"' sh $compare --emulated
    tap_command "nor on the site" "$bin/report" site -o "$scratch/site" "$scratch/all.csv"
    tap_command "whose page of builds is not there" test ! -e "$scratch/site/variants.html"
}

# How many samples of repetitions each build has of each status.
statuses() {
    awk -F, '$2 == "sample" && $15 != 0 { print $9, $20 }' "$1" | sort | uniq -c | sed 's/^ *//'
}

case $own in
*asan*) tap_skip "builds in an emulator" "sanitizers do not run in one" ;;
*)
    machine=$(uname -m)
    emulated "$bin/collect" other-m64-O2 "qemu-$machine"
    small=$(find build -path 'build/*-m32-*/bin/collect' -name collect 2>/dev/null | grep -v asan | head -n 1)
    if [ -n "$small" ]; then
        emulated "$small" other-m32-O2 qemu-i386
    else
        tap_skip "a build for 32 bits" "there is none: make variants makes it"
    fi
    ;;
esac

# A build beside an installed program.
mkdir -p "$scratch/usr/bin" "$scratch/usr/lib/collect/installed-m64-O2"
cp "$bin/collect" "$scratch/usr/bin"
cp "$bin/collect" "$scratch/usr/lib/collect/installed-m64-O2"
tap_command "an installed program finds builds in ../lib/collect" "$scratch/usr/bin/collect" run \
    control.fixed --repeat=2 --min-time=0.005 --variants=installed-m64-O2 -o "$scratch/installed.csv"
tap_equal "and runs in them" "2 installed-m64-O2 ok" "$(statuses "$scratch/installed.csv")"
tap_end
