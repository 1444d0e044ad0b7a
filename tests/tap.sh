# Sourced by the test scripts: one TAP line for each thing shown, details as comments below it.
# shellcheck shell=sh
tap_n=0
tap_n_failed=0

tap_comment() {
    sed 's/^/# /'
}

tap_ok() {
    tap_n=$((tap_n + 1))
    echo "ok $tap_n - $1"
}

tap_not_ok() {
    tap_n=$((tap_n + 1))
    tap_n_failed=$((tap_n_failed + 1))
    echo "not ok $tap_n - $1"
}

# NAME REASON
tap_skip() {
    tap_n=$((tap_n + 1))
    echo "ok $tap_n - $1 # SKIP $2"
}

# NAME TEXT: passes when the text, which says what is wrong, is empty.
tap_empty() {
    if [ -z "$2" ]; then
        tap_ok "$1"
    else
        tap_not_ok "$1"
        printf '%s\n' "$2" | tap_comment
    fi
}

# NAME EXPECTED FOUND
tap_equal() {
    if [ "$2" = "$3" ]; then
        tap_ok "$1"
    else
        tap_not_ok "$1"
        printf 'expected:\n%s\nfound:\n%s\n' "$2" "$3" | tap_comment
    fi
}

# NAME COMMAND...: passes when the command exits with 0; what it said is shown when not.
tap_command() {
    tap_name=$1
    shift
    if tap_output=$("$@" 2>&1 </dev/null); then
        tap_ok "$tap_name"
    else
        tap_status=$?
        tap_not_ok "$tap_name"
        printf '%s\nexit status %s\n' "$tap_output" "$tap_status" | tap_comment
    fi
}

# The plan, last; the exit status of the script.
tap_end() {
    echo "1..$tap_n"
    [ "$tap_n_failed" -eq 0 ]
}
