#!/bin/sh
# What a project's container runs, as its first process: `wait` collects orphans. The disk gets a name when it is new, so
# that whoever holds the container can tell it from another one; a workspace server that falls is started again over the
# same files. Who may use it knows the secret whose hash the container was started with; programs can read the hash, and
# get nothing by it.
set -u
STATE=/var/lib/workspace
mkdir -p /app "$STATE"
[ -s "$STATE/disk-id" ] || cat /proc/sys/kernel/random/uuid > "$STATE/disk-id"

# The platform gives 15 minutes between SIGTERM and SIGKILL. The server goes on and says that the end is near; whoever
# holds the container saves the files and ends it.
trap ': > "$STATE/ending"' TERM INT

ended() { ! kill -0 "$server" 2>/dev/null; }
while :; do
  env -i PATH="$PATH" HOME=/app LANG=C.UTF-8 USER=root \
    node /opt/workspace/workspace-server.mjs serve --root /app --listen 0.0.0.0:21787 \
    --secret-sha256 "$WORKSPACE_SECRET_SHA256" --ending-file "$STATE/ending" &
  server=$!
  # A signal interrupts `wait`.
  until ended; do wait "$server"; done
  sleep 1
done
