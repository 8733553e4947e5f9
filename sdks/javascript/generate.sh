#!/usr/bin/env bash
# Generates src/generated/api.ts from the API description; `--check` fails when the committed file differs.
set -euo pipefail
cd "$(dirname "$0")"
root=../..
packages=$("$root/.ci/sdk-packages")
target=src/generated/api.ts
written=$target
[ "${1:-}" != --check ] || written=$(mktemp)
node "$packages/node_modules/openapi-typescript/bin/cli.js" "$root/apps/gateway/openapi.json" --default-non-nullable=false --output "$written" >/dev/null
[ "$written" = "$target" ] || cmp "$target" "$written"
