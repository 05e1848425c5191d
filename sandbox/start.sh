#!/bin/sh
# What a project's container runs. The disk gets a name when it is new, so that whoever holds the container can tell it
# from another one; a workspace server that falls is started again over the same files. Who may use it knows the secret
# whose hash the container was started with; programs can read the hash, and get nothing by it.
set -u
DISK_ID=/var/lib/workspace/disk-id
mkdir -p /app "$(dirname "$DISK_ID")"
[ -s "$DISK_ID" ] || cat /proc/sys/kernel/random/uuid > "$DISK_ID"

trap 'kill "$server"; wait "$server"; exit 0' TERM INT
while :; do
  env -i PATH="$PATH" HOME=/app LANG=C.UTF-8 USER=root \
    node /opt/workspace/workspace-server.mjs serve --root /app --listen 0.0.0.0:21787 \
    --secret-sha256 "$WORKSPACE_SECRET_SHA256" &
  server=$!
  wait "$server"
  sleep 1
done
