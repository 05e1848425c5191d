# To be read by `run`: installs and starts PostgreSQL, Redis, bubblewrap, Chromium, Firefox and Python's httpx where they are missing (Debian or Ubuntu, as
# root or with sudo). What it starts ends with the shell that reads it.

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

is_there() {
  command -v "$1" >/dev/null
}

missing=()
is_there pg_isready && ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing+=(postgresql)
is_there redis-server || missing+=(redis-server)
is_there bwrap || missing+=(bubblewrap)
is_there chromium-headless-shell || is_there chromium || is_there chromium-browser || is_there google-chrome || missing+=(chromium-headless-shell)
is_there firefox-esr || is_there firefox || missing+=(firefox-esr)
/usr/bin/python3 -c "import httpx" 2>/dev/null || missing+=(python3-httpx)
if [ ${#missing[@]} -gt 0 ]; then
  echo "Installing ${missing[*]}, which tests need …"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

state=$(mktemp -d)
end_services() {
  [ ! -e "$state/postgres/data" ] || as_root runuser -u postgres -- "$postgres/pg_ctl" -D "$state/postgres/data" -m immediate stop >/dev/null || true
  [ ! -e "$state/redis.pid" ] || kill "$(cat "$state/redis.pid")" || true
  as_root rm -rf "$state"
}
trap end_services EXIT

# Its own, because one that waits for the disk makes and drops databases slowly. On the first free port: others may run tests, too.
postgres=$(dirname "$(ls /usr/lib/postgresql/*/bin/initdb | tail -n 1)")
chmod 755 "$state"
as_root install -d -o postgres "$state/postgres"
as_root runuser -u postgres -- "$postgres/initdb" -D "$state/postgres/data" -U postgres --auth=trust --no-sync >/dev/null
for port in $(seq 5432 5452); do
  as_root runuser -u postgres -- "$postgres/pg_ctl" -D "$state/postgres/data" -l "$state/postgres/log" \
    -o "-p $port -k $state/postgres -c fsync=off -c full_page_writes=off -c max_connections=200" -w start >/dev/null 2>&1 && break
done
export TEST_DATABASE_URL="postgres://postgres@127.0.0.1:$port/postgres"

if ! redis-cli -h 127.0.0.1 ping >/dev/null 2>&1; then
  redis-server --port 6379 --bind 127.0.0.1 --save "" --daemonize yes --pidfile "$state/redis.pid" >/dev/null
fi
