#!/bin/sh
# install_packages.sh WHEN...
# Installs the packages of $PACKAGES (a line each, NAME|WHEN|PROOF|WHY) that are for one of the
# occasions named and missing, after saying what and why. Asks nothing. Where there is no apt it
# tries the proofs and names what a person has to install.
set -eu

occasions=" $* "
missing=

has_apt() {
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null
}

# True when the proof shows that it is there. An empty one shows nothing.
is_proved() {
    case $1 in
    '') false ;;
    '<'*) printf '#include %s\n' "$1" | "${CC:-cc}" -E - >/dev/null 2>&1 ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

# From the package or, as node with its npm often is, from elsewhere. Where there is no list of packages,
# one without a proof counts as there.
is_installed() {
    if has_apt; then
        case $(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null) in
        ?i*) return 0 ;;
        esac
    elif [ -z "$2" ]; then
        return 0
    fi
    is_proved "$2"
}

while IFS='|' read -r name when proof why; do
    case $occasions in
    *" $when "*) ;;
    *) continue ;;
    esac
    if ! is_installed "$name" "$proof"; then
        [ -n "$missing" ] || echo "To be installed:"
        printf '  %-18s %s\n' "$name" "$why"
        missing="$missing $name"
    fi
done <<END
$PACKAGES
END

if [ -z "$missing" ]; then
    echo "Packages to $(echo "$*" | sed 's/ /, /g'): all there"
    exit 0
fi
if ! has_apt; then
    echo "error: this system has no apt-get; install what provides the above (names of Debian 12)" >&2
    exit 1
fi

command="apt-get install -y --no-install-recommends$missing"
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "error: neither root nor sudo; as root, run: $command" >&2
        exit 1
    fi
    as_root=sudo
    [ -t 0 ] || as_root='sudo -n'
fi
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" </dev/null
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The lists of packages may be older than what the mirror still has, or not there at all.
# shellcheck disable=SC2086 # one word each
if ! apt install -y --no-install-recommends $missing >"$log" 2>&1 &&
    ! { apt update >"$log" 2>&1 && apt install -y --no-install-recommends $missing >>"$log" 2>&1; }; then
    cat "$log" >&2
    echo "error: the packages could not be installed; as root, run: apt-get update && $command" >&2
    exit 1
fi
echo "Installed."
