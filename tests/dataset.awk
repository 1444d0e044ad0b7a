# Reads the record files of a dataset for a golden case, which prints their figures as a publication
# does: awk -f dataset.awk -f TABLES.awk records.csv. TABLES.awk asks for every figure by its place; at
# the end those that nobody asked for are printed, so that a figure too many shows as well.

# The fields of a row into f[1...]; quoted fields stand on one line in datasets.
function fields_of(line, f,    n, field) {
    n = 0
    line = line ","
    while (line != "") {
        if (substr(line, 1, 1) == "\"") {
            match(line, /^"([^"]|"")*",/)
            field = substr(line, 2, RLENGTH - 3)
            gsub(/""/, "\"", field)
        } else {
            match(line, /^[^,]*,/)
            field = substr(line, 1, RLENGTH - 1)
        }
        line = substr(line, RLENGTH + 1)
        f[++n] = field
    }
    return n
}

{
    fields_of($0, f)
    if (f[2] == "fact") {
        key = f[3] " " f[14]
        stored[key] = f[20] == "unknown" ? "unknown" : f[16] != "" ? f[16] : f[21]
        unit[key] = f[17]
        if (f[20] == "unknown")
            asked[key] = 1
    } else if (f[2] != "sample") {
        next
    } else {
        key = f[3] " " f[6] "." f[8] " " f[9] " " f[10] " " (f[11] == "" ? "-" : f[11] f[12]) " " \
            (f[13] == "" ? "-" : f[13]) " " f[14]
        stored[key] = f[20] == "ok" ? f[16] : f[20]
        unit[key] = f[17]
        passes[key] = f[18]
    }
    if (key in seen)
        print "twice: " key
    seen[key] = 1
}

# The stored figure over `scale`, with `digits` decimals, or more when it has more; "?" and its place
# when there is none.
function figure(key, scale, digits,    value, text, rest) {
    if (!(key in stored))
        return "?(" key ")"
    asked[key] = 1
    value = stored[key] / scale
    text = sprintf("%." digits "f", value)
    rest = value - text
    if (rest < 0)
        rest = -rest
    return rest * 1e9 < value || rest * 1e9 < -value || value == 0 ? text : sprintf("%.12g", value)
}

function sample(run, test, variant, threads, x, params, metric, scale, digits) {
    return figure(run " " test " " variant " " threads " " x " " params " " metric, scale, digits)
}

function fact(run, name) {
    if (!((run " " name) in stored))
        return "?(" run " " name ")"
    asked[run " " name] = 1
    return stored[run " " name]
}

# Call it last. Keys that begin with `except` belong to another case.
function not_asked(except,    key) {
    for (key in stored)
        if (!(key in asked) && (except == "" || key !~ except))
            print "not in the tables: " key | "sort"
    close("sort")
}
