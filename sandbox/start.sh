#!/bin/sh
# What a project's container runs. The disk gets a name when it is new, so that whoever holds the container can tell it
# from another one; a workspace server that falls is started again over the same files.
set -u
DISK_ID=/var/lib/workspace/disk-id
mkdir -p /app "$(dirname "$DISK_ID")"
[ -s "$DISK_ID" ] || cat /proc/sys/kernel/random/uuid > "$DISK_ID"

trap 'kill "$server"; wait "$server"; exit 0' TERM INT
while :; do
  env -i PATH="$PATH" HOME=/app LANG=C.UTF-8 USER=root \
    node /opt/workspace/workspace-server.mjs serve --root /app --listen 0.0.0.0:8080 &
  server=$!
  wait "$server"
  sleep 1
done
