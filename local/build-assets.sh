#!/bin/sh
# Makes the files in public that are not kept: the pages of the guide, the API reference page's script out of its package, so that /docs works with
# no network, and the program of the isolates that run commands.
set -eu
cd "$(dirname "$0")/.."
mkdir -p public/docs
node hosts/command-runner/build-isolate.ts
node local/guide/build.ts
node console/build.ts
cp -p node_modules/@scalar/api-reference/dist/browser/standalone.js public/docs/scalar.js
node local/pack-assets.ts
