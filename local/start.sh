#!/bin/sh
# Runs a program of this project with the project's own Node: local/start.sh [entry] [arguments…]. Installs what is
# missing first. Standard output belongs to the program alone, and `exec` gives it this process' signals.
set -eu
cd "$(dirname "$0")/.."

lock=$(cksum <package-lock.json)
record=node_modules/.lock-checksum
installing=node_modules/.installing

installed() {
  [ -x node_modules/.bin/node ] && [ "$(cat "$record" 2>/dev/null)" = "$lock" ]
}

# Another start may be installing: wait for it, unless it is dead. A link is made in one step with the holder's process id.
take_turn() {
  mkdir -p node_modules
  until ln -s "$$" "$installing" 2>/dev/null; do
    holder=$(readlink "$installing" || echo "$$")
    kill -0 "$holder" 2>/dev/null || rm -f "$installing"
    sleep 1
  done
  trap 'rm -f "$installing"' EXIT
}

install() {
  echo "Installing the packages of package-lock.json (once; takes a minute) …" >&2
  output=node_modules/.install-output
  npm install --include=dev --no-audit --no-fund >"$output" 2>&1 &
  trap 'kill $! 2>/dev/null; exit 130' INT TERM
  if ! wait $!; then
    cat "$output" >&2
    echo "The packages could not be installed." >&2
    exit 1
  fi
  trap - INT TERM
  rm -f "$output"
  cksum <package-lock.json >"$record"
}

if ! installed; then
  take_turn
  installed || install
  rm -f "$installing"
  trap - EXIT
fi

PATH="$PWD/node_modules/.bin:$PATH"
export PATH

# Memory that is free goes back to the system from 128 KiB on. That is glibc's own first value, which it otherwise raises to
# as much as 64 MiB: a process that made the embedded PostgreSQL's database then keeps 560 MiB instead of 230.
MALLOC_TRIM_THRESHOLD_=131072
export MALLOC_TRIM_THRESHOLD_

# V8 lets the space for new objects grow to 128 MiB here. With 16 MiB to each half, the service has 420 MiB after 5,000 tasks
# instead of 506.
[ $# -gt 0 ] || set -- --max-semi-space-size=16 local/main.ts
exec node_modules/.bin/node "$@"
