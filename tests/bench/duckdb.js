// duckdb.js -c SQL: runs it in DuckDB's library of the npm package @duckdb/node-api, where its program is
// not to be had. bench.sh sets NODE_PATH.
'use strict';
const { DuckDBInstance } = require('@duckdb/node-api');

async function main(sql) {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(sql);
    connection.closeSync();
}

if (process.argv[2] !== '-c' || process.argv.length !== 4) {
    console.error('usage: duckdb.js -c SQL');
    process.exit(2);
}
main(process.argv[3]).catch((error) => {
    console.error(`duckdb: ${error.message}`);
    process.exit(1);
});
