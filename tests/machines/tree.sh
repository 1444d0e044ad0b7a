# shellcheck shell=sh
# For the make.sh of a machine, which is run as `make.sh FOLDER` and writes its tree there: small
# machines are kept as files, large ones as what makes them.
set -eu
tree=${1:?folder}

# put PATH CONTENT...: a file, a line for each content.
put() {
    place=$tree/$1
    [ -d "${place%/*}" ] || mkdir -p "${place%/*}"
    shift
    printf '%s\n' "$@" >"$place"
}

# bytes PATH FORMAT: a file of just these bytes.
bytes() {
    [ -d "$tree/${1%/*}" ] || mkdir -p "$tree/${1%/*}"
    # shellcheck disable=SC2059 # it is a format
    printf "$2" >"$tree/$1"
}

# caches CPU INDEX:LEVEL:TYPE:SIZE:WAYS:SETS:SHARED...: lines of 64 bytes.
caches() {
    here=$tree/sys/devices/system/cpu/cpu$1/cache
    shift
    for cache; do
        index=$here/index${cache%%:*} rest=${cache#*:}
        mkdir -p "$index"
        echo "${rest%%:*}" >"$index/level" && rest=${rest#*:}
        echo "${rest%%:*}" >"$index/type" && rest=${rest#*:}
        echo "${rest%%:*}" >"$index/size" && rest=${rest#*:}
        echo "${rest%%:*}" >"$index/ways_of_associativity" && rest=${rest#*:}
        echo "${rest%%:*}" >"$index/number_of_sets" && rest=${rest#*:}
        echo "$rest" >"$index/shared_cpu_list"
        echo 64 >"$index/coherency_line_size"
    done
}

# topology CPU SOCKET SIBLINGS
topology() {
    here=$tree/sys/devices/system/cpu/cpu$1/topology
    mkdir -p "$here"
    echo "$2" >"$here/physical_package_id"
    echo "$3" >"$here/core_cpus_list"
}

# frequency CPU MIN BASE MAX GOVERNOR DRIVER, kHz; - leaves out
frequency() {
    here=$tree/sys/devices/system/cpu/cpu$1/cpufreq
    mkdir -p "$here"
    echo "$2" >"$here/cpuinfo_min_freq"
    [ "$3" = - ] || echo "$3" >"$here/base_frequency"
    echo "$4" >"$here/cpuinfo_max_freq"
    echo "$4" >"$here/scaling_max_freq"
    echo "$5" >"$here/scaling_governor"
    echo "$6" >"$here/scaling_driver"
}

# An octal escape of a number below 256.
octal() {
    printf '\\%03o' "$1"
}

# dimm HANDLE SIZE_MIB TYPE RATED CONFIGURED MAKER PART: a memory device of SMBIOS 3.2 as a format of
# printf, 40 bytes and its strings; its serial number is there to be left out. Sizes below 32 GiB.
dimm() {
    printf '%s' '\021\050' "$(octal $(($1 % 256)))" "$(octal $(($1 / 256)))" \
        '\000\000\376\377\100\000\100\000' "$(octal $(($2 % 256)))" "$(octal $(($2 / 256)))" \
        '\011\000\001\002' "$(octal "$3")" '\200\000' \
        "$(octal $(($4 % 256)))" "$(octal $(($4 / 256)))" '\003\004\005\006\002\000\000\000\000' \
        "$(octal $(($5 % 256)))" "$(octal $(($5 / 256)))" '\000\000\000\000\000\000' \
        "DIMM_A\\000BANK 0\\000$6\\000SN-SECRET-DIMM\\000asset\\000$7\\000\\000"
}
# The end of the table.
dimm_end='\177\004\376\377\000\000'
