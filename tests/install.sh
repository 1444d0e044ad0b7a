#!/bin/sh
# install.sh
# Shows, as TAP, that what `make install` puts below DESTDIR works from there, and that
# `make uninstall` takes every file of it away and no other.
set -eu
cd "$(dirname "$0")/.."
. tests/tap.sh
make=${MAKE:-make}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch" build/installed-m64-O2' EXIT
root=$scratch/root
# Another build beside the one that is installed: a copy of it.
"$make" -s programs
mkdir -p build/installed-m64-O2/bin
cp "$("$make" -s where)/bin/collect" build/installed-m64-O2/bin
mkdir -p "$root/usr/local/share/report" "$root/usr/local/bin"
echo mine >"$root/usr/local/share/report/notes"
echo mine >"$root/usr/local/bin/other"

tap_command "make install" "$make" -s install DESTDIR="$root"
for file in bin/collect bin/normalize bin/report share/man/man1/collect.1 share/man/man1/normalize.1 \
    share/man/man1/report.1 share/man/man5/schema.5 share/report/datasets/MANIFEST.csv; do
    tap_command "$file is there" test -s "$root/usr/local/$file"
done
tap_equal "templates and datasets are those of the tree" \
    "$(find templates datasets -type f -exec cksum {} + | sort)" \
    "$(cd "$root/usr/local/share/report" && find templates datasets -type f -exec cksum {} + | sort)"
tap_command "the installed report finds its templates" env -C "$scratch" "$root/usr/local/bin/report" \
    site -o "$scratch/site" "$root/usr/local/share/report/datasets/longbottom-paging/records.csv"
tap_command "and writes a site" test -s "$scratch/site/index.html"
tap_command "the installed collect runs jobs in the builds that were installed with it" \
    env -C "$scratch" "$root/usr/local/bin/collect" run control.fixed --repeat=1 --min-time=0.005 \
    --variants=installed-m64-O2 -o "$scratch/run.csv"
tap_command "and its records say so" grep -q ',control,.*,installed-m64-O2,.*,ok,' "$scratch/run.csv"
rm -r build/installed-m64-O2 # what was installed goes, also where it is no longer built
tap_command "make uninstall" "$make" -s uninstall DESTDIR="$root"
tap_equal "nothing is left but what was there before" \
    "$(printf '%s\n' ./usr/local/bin/other ./usr/local/share/report/notes)" \
    "$(cd "$root" && find . -type f | sort)"
tap_end
