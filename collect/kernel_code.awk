# Which objects make up each kernel: its own and, symbol by symbol, those that it needs. Reads lines
# `hash OBJECT SHA256` and `symbol OBJECT NAME TYPE ...`, the latter as nm -P has them; prints for each of
# `kernels` its name and the hashes of its objects, in the order in which they were read.
$1 == "hash" { objects[++n] = $2; hash[$2] = $3 }
$1 == "symbol" && $4 == "U" { wants[$2] = wants[$2] " " $3 }
$1 == "symbol" && $4 ~ /^[A-TV-Z]$/ { definer[$3] = $2 }

function take(object,    names, i, count) {
    if (object in taken)
        return
    taken[object] = 1
    count = split(wants[object], names, " ")
    for (i = 1; i <= count; i++)
        if (names[i] in definer)
            take(definer[names[i]])
}

END {
    count = split(kernels, list, " ")
    for (k = 1; k <= count; k++) {
        split("", taken)
        take(list[k])
        printf "%s", list[k]
        for (i = 1; i <= n; i++)
            if (objects[i] in taken)
                printf " %s", hash[objects[i]]
        print ""
    }
}
