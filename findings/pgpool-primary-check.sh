#!/usr/bin/env bash
# Pgpool-II 4.3 and PostgreSQL 15 of Debian, with a standby and load_balance_mode = on (the default): the usual check for a
# standby, SELECT pg_is_in_recovery(), is a volatile function and always answered by the primary, while the tables of the very same
# session are read from the standby. A client cannot find the balancing that way, however often it asks; SHOW pool_version and PGPOOL
# SHOW load_balance_mode tell.
set -eu
for program in /usr/sbin/pgpool /usr/bin/psql; do [ -x "$program" ] || { echo 'apt-get install postgresql pgpool2'; exit 1; }; done
folder=$(mktemp -d)
started=()
finish() {
  if [ ${#started[@]} -gt 0 ]; then kill -INT "${started[@]}" 2>/dev/null || true; fi
  sleep 1
  rm -rf "$folder"
}
trap finish EXIT
bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -1)
chmod 755 "$folder"; mkdir "$folder/run"
plain=(env LC_ALL=C)
if [ "$(id -u)" = 0 ]; then chown nobody: "$folder/run"; plain=(setpriv --reuid=nobody --regid=nogroup --clear-groups env LC_ALL=C); fi
serve() { "${plain[@]}" "$@" >/dev/null 2>&1 & started+=($!); }
ask() { psql -XAtq -h 127.0.0.1 -U app -d postgres "$@"; }
until_up() { for _ in $(seq 100); do if ask -p "$1" -c 'SELECT 1' >/dev/null 2>&1; then return; fi; sleep 0.2; done; echo "nothing answers at $1"; exit 1; }
"${plain[@]}" "$bin/initdb" -D "$folder/run/one" -U app --auth trust --no-sync >/dev/null
cp -a "$folder/run/one" "$folder/run/two"
echo "primary_conninfo = 'host=127.0.0.1 port=57433 user=app'" >>"$folder/run/two/postgresql.auto.conf"
touch "$folder/run/two/standby.signal"
if [ "$(id -u)" = 0 ]; then chown nobody: "$folder/run/two/standby.signal"; fi
common=(-c listen_addresses=127.0.0.1 -c unix_socket_directories="$folder/run" -c fsync=off)
serve "$bin/postgres" -D "$folder/run/one" -c port=57433 "${common[@]}"; until_up 57433
serve "$bin/postgres" -D "$folder/run/two" -c port=57434 "${common[@]}"; until_up 57434
cat >"$folder/pgpool.conf" <<CONF
backend_clustering_mode = 'streaming_replication'
listen_addresses = '127.0.0.1'
port = 57435
socket_dir = '$folder/run'
pcp_socket_dir = '$folder/run'
pcp_port = 57436
wd_ipc_socket_dir = '$folder/run'
backend_hostname0 = '127.0.0.1'
backend_port0 = 57433
backend_weight0 = 0
backend_hostname1 = '127.0.0.1'
backend_port1 = 57434
backend_weight1 = 1
sr_check_user = 'app'
sr_check_period = 1
pool_passwd = ''
pid_file_name = '$folder/run/pgpool.pid'
logdir = '$folder/run'
work_dir = '$folder/run'
CONF
serve /usr/sbin/pgpool -n -f "$folder/pgpool.conf" -F /dev/null -a /dev/null; until_up 57435
sleep 3
dpkg-query -W postgresql-15 pgpool2 2>/dev/null || true
recovery=$(ask -p 57435 -c 'SELECT pg_is_in_recovery()')
port=$(ask -p 57435 -c 'SELECT inet_server_port()')
mode=$(ask -p 57435 -c 'PGPOOL SHOW load_balance_mode')
echo "pg_is_in_recovery(): $recovery (of the primary); a plain SELECT is answered by port $port (57434 is the standby); load_balance_mode: $mode"
[ "$recovery $port $mode" = 'f 57434 on' ]
