#!/bin/sh
# Copies the API reference page's script out of its package, so that /docs works with no network.
set -eu
cd "$(dirname "$0")/.."
mkdir -p public/docs
cp node_modules/@scalar/api-reference/dist/browser/standalone.js public/docs/scalar.js
