#!/bin/sh
# job.sh NAME: one job of bench.sh, which sets TOP (the folder of the rows), TMPDIR and MEMORY. With `has` in
# front of it: whether its program is installed.
set -eu
export LC_ALL=C
if [ "$1" = has ]; then
    case $2 in
    sqlite3 | mlr | clickhouse) command -v "$2" >/dev/null ;;
    duckdb) command -v duckdb >/dev/null || node -e 'require("@duckdb/node-api")' 2>/dev/null ;;
    *) true ;;
    esac
    exit
fi
run_duckdb() { # SQL
    if command -v duckdb >/dev/null; then duckdb -c "$1"; else node "$(dirname "$0")/duckdb.js" -c "$1"; fi
}
case $1 in
merge_canonical) normalize merge -q --memory="$MEMORY" -o "$TOP/out.csv" "$TOP"/sorted-*.csv ;;
merge_canonical_gz) normalize merge -q --memory="$MEMORY" -o "$TOP/out.csv" "$TOP"/sorted-*.csv.gz ;;
merge_to_gz) normalize merge -q --memory="$MEMORY" -o "$TOP/out.csv.gz" "$TOP"/sorted-*.csv ;;
merge_unsorted) normalize merge -q --memory="$MEMORY" -o "$TOP/out.csv" "$TOP"/unsorted-*.csv ;;
check) normalize check -q "$TOP"/sorted-*.csv ;;
check_gz) normalize check -q "$TOP"/sorted-*.csv.gz ;;
check_unsorted) normalize check -q "$TOP"/unsorted-*.csv ;;
check_one_thread) normalize check -q --threads=1 "$TOP"/sorted-*.csv ;;
tokenise) tokenise "$TOP"/sorted-*.csv ;;
tokenise_gz) tokenise "$TOP"/sorted-*.csv.gz ;;
sort_merge) sort -m -u -o "$TOP/out.txt" "$TOP"/sorted-*.txt ;;
sort_merge_gz)
    mkdir "$TMPDIR/pipes"
    for file in "$TOP"/sorted-*.csv.gz; do
        pipe=$TMPDIR/pipes/${file##*/}
        mkfifo "$pipe"
        gzip -dc "$file" | sed '1d;$d' >"$pipe" &
    done
    sort -m -u -o "$TOP/out.txt" "$TMPDIR"/pipes/*
    wait
    rm -r "$TMPDIR/pipes"
    ;;
sort_unique) sort -u -S "$MEMORY" -T "$TMPDIR" --parallel="$(nproc)" -o "$TOP/out.txt" "$TOP"/unsorted-*.txt ;;
sqlite3)
    rm -f "$TMPDIR/db"
    export SQLITE_TMPDIR="$TMPDIR"
    {
        echo "pragma journal_mode=off; pragma synchronous=off; pragma threads=$(nproc);"
        echo "pragma cache_size=-$(($(numfmt --from=iec "$MEMORY") / 1024));"
        echo "create table r(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u);"
        echo ".mode csv"
        printf '%s\n' '.separator "," "\n"'
        for file in "$TOP"/unsorted-*.txt; do echo ".import $file r"; done
        echo ".once $TOP/out.txt"
        echo "select distinct * from r order by b,c,f,g,h,i,j,k,l,m,n,o;"
    } | sqlite3 "$TMPDIR/db"
    rm -f "$TMPDIR/db"
    ;;
mlr)
    mlr -S --icsv --ocsv --implicit-csv-header --headerless-csv-output \
        sort -f 2,3,6,7,8,9,10,11,12,13,14,15 then uniq -a "$TOP"/unsorted-*.txt >"$TOP/out.txt"
    ;;
duckdb)
    run_duckdb "set memory_limit='${MEMORY}iB'; set temp_directory='$TMPDIR'; copy (select distinct *
        from read_csv('$TOP/unsorted-*.txt', header=false, all_varchar=true)
        order by all) to '$TOP/out.txt' (header false)"
    ;;
clickhouse)
    columns=$(seq -f 'c%g String' -s ', ' 21)
    clickhouse local -q "select distinct * from file('$TOP/unsorted-*.txt', 'CSV', '$columns')
        order by all into outfile '$TOP/out.txt' truncate format CSV"
    ;;
*)
    echo "job.sh: no job $1" >&2
    exit 2
    ;;
esac
