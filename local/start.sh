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
[ $# -gt 0 ] || set -- local/main.ts
exec node_modules/.bin/node "$@"
