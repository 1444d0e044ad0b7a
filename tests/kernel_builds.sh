#!/bin/sh
# kernel_builds.sh [FAMILY...]
# Shows, as TAP, that the kernels pass their own checks whatever builds them: gcc and clang, -O0 to
# -O3, 64 and 32 bits, the latter emulated where the kernel runs no 32-bit programs, and arm64 where
# clang, the headers of that architecture and qemu are there; at -O2 also on emulated processors that
# have no more than SSE, AVX or fused arithmetic. Default: the families of floating-point arithmetic,
# whose results differ with the build; families that need a folder cannot be tested so. All of it takes
# some minutes; `make check` runs a part.
# CC_LIST, LEVELS and PROCESSORS choose less: CC_LIST='gcc -m32' LEVELS=2 tests/kernel_builds.sh fft
set -eu
cd "$(dirname "$0")/.."
. tests/tap.sh

[ $# -gt 0 ] || set -- asm_loops fft linpack livermore mflops whetstone
work=build/kernel_builds
mkdir -p "$work"

{
    echo '#include "kernels/kernel.h"'
    for name in "$@"; do echo "extern const struct kernel kernel_$name;"; done
    echo 'const struct kernel *const kernel_registry[] = {'
    for name in "$@"; do echo "    &kernel_$name,"; done
    echo '    0};'
} > "$work/registry.c"

# Without gcc-multilib the headers of the kernel are not where -m32 looks for them.
m32=-m32
[ -e /usr/include/asm ] || m32="-m32 -idirafter /usr/include/$(uname -m)-linux-gnu"

# COMPILER: a program that runs what it builds, or "no" where there is none.
runner() {
    echo 'int main(void) { return 0; }' > "$work/empty.c"
    if ! $1 -static "$work/empty.c" -o "$work/empty" -lm 2> /dev/null; then
        echo no
    elif "$work/empty" 2> /dev/null; then
        echo
    else
        case $1 in
        *-m32*) emulator=qemu-i386 ;;
        *aarch64*) emulator=qemu-aarch64 ;;
        *) emulator=no ;;
        esac
        command -v "$emulator" > /dev/null && echo "$emulator" || echo no
    fi
}

# The files of the families named, and those that belong to none.
all=$(grep -slE '^const struct kernel kernel_' kernels/*.c | sed 's|kernels/||; s|\.c$||')
files=$(for file in kernels/*.c; do
    name=$(basename "$file" .c)
    owner=
    for family in $all; do
        case $name in "$family" | "$family"_*) owner=$family ;; esac
    done
    case " $* " in *" ${owner:-$1} "*) echo "$file" ;; esac
done)

# COMPILER LEVEL: the program of the families. What serves other families need not build everywhere.
build() {
    rm -rf "$work/objects" "$work/kernels.a"
    mkdir "$work/objects"
    flags="-std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I. -pthread"
    flags="$flags -O$2 -fno-lto -fno-tree-vectorize"
    for file in $files; do
        # shellcheck disable=SC2086
        $1 $flags -c "$file" -o "$work/objects/$(basename "$file" .c).o" || true
    done
    ar rcs "$work/kernels.a" "$work"/objects/*.o
    # shellcheck disable=SC2086
    $1 $flags -static tests/kernel_builds.c "$work/registry.c" "$work/kernels.a" -lm \
        -o "$work/program"
}

# NAME RUNNER: says what the program says of itself there.
judge() {
    # shellcheck disable=SC2086
    if $2 "$work/program" > "$work/messages" 2>&1 < /dev/null; then
        tap_ok "$1: $(tail -n 1 "$work/messages")"
    else
        tap_not_ok "$1"
        tap_comment < "$work/messages"
    fi
}

echo "${CC_LIST:-gcc
clang
gcc $m32
clang $m32
aarch64-linux-gnu-gcc
clang --target=aarch64-linux-gnu}" > "$work/compilers"
while read -r compiler; do
    how=$(runner "$compiler")
    for level in ${LEVELS:-0 1 2 3}; do
        name="$compiler -O$level${how:+ under $how}"
        if [ "$how" = no ]; then
            tap_skip "$compiler -O$level" "nothing here builds and runs its programs"
        elif ! build "$compiler" "$level" 2> "$work/messages"; then
            tap_not_ok "$name builds"
            head -n 40 "$work/messages" | tap_comment
        else
            judge "$name" "$how"
            case "$level$how $(uname -m) $compiler" in
            *-m32*) ;;
            "2 x86_64 "*)
                for processor in ${PROCESSORS-Nehalem SandyBridge Haswell}; do
                    command -v qemu-x86_64 > /dev/null || break
                    judge "$name on a $processor" "qemu-x86_64 -cpu $processor"
                done
                ;;
            esac
        fi
    done
done < "$work/compilers"
tap_end
