#!/usr/bin/env bash
# pg 8.23.1 (npm) against PostgreSQL 15 of Debian: where a role, a database or postgresql.conf sets a DateStyle other than ISO,
# the client gives `null` for every date and timestamp that is there, without an error: NOT NULL columns arrive as null.
# Tell the server in the startup message (DateStyle), as drivers of other languages do, or have a parser that throws.
set -eu
folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill -INT "$server"; wait "$server" || true; fi; rm -rf "$folder"' EXIT
bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -1)
[ -n "$bin" ] || { echo 'apt-get install postgresql'; exit 1; }
chmod 755 "$folder"; mkdir "$folder/run"
plain=(env LC_ALL=C)
if [ "$(id -u)" = 0 ]; then chown nobody: "$folder/run"; plain=(setpriv --reuid=nobody --regid=nogroup --clear-groups env LC_ALL=C); fi
"${plain[@]}" "$bin/initdb" -D "$folder/run/data" -U app --auth trust --no-sync >/dev/null
"${plain[@]}" "$bin/postgres" -D "$folder/run/data" -c port=57432 -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c 'datestyle=SQL, DMY' 2>/dev/null &
server=$!
npm install --silent --no-audit --no-fund --prefix "$folder" pg@8.23.1
cat >"$folder/read.cjs" <<'JS'
const { Client } = require('pg')
const connect = async (attempt = 0) => {
  const client = new Client({ host: '127.0.0.1', port: 57432, user: 'app', database: 'postgres' })
  client.on('error', () => {})
  return client.connect().then(() => client, (error) => {
    if (attempt > 50) throw error
    return new Promise((resolve) => setTimeout(resolve, 200)).then(() => connect(attempt + 1))
  })
}
connect().then(async (client) => {
  const sql = "SELECT timestamptz '2026-03-02T15:00:00Z' AS at, date '2026-03-02' AS day"
  const { rows: [told] } = await client.query(sql)
  await client.query("SET DateStyle = 'ISO'")
  const { rows: [iso] } = await client.query(sql)
  const { rows: [{ server_version: version }] } = await client.query('SHOW server_version')
  await client.end()
  console.log(`pg ${require('pg/package.json').version}, PostgreSQL ${version}`)
  console.log('SQL, DMY:', JSON.stringify(told), ' ISO:', JSON.stringify(iso))
  if (told.at !== null || told.day !== null || !(iso.at instanceof Date)) process.exit(1)
})
JS
node "$folder/read.cjs"
