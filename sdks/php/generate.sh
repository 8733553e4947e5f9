#!/usr/bin/env bash
# Generates the types from the API description; `--check` fails when the committed file differs.
set -euo pipefail
cd "$(dirname "$0")"
target=src/Generated/Types.php
written=$(mktemp)
trap 'rm -f "$written"' EXIT
php generate.php ../../apps/gateway/openapi.json >"$written"
if [ "${1:-}" = --check ]; then cmp "$written" "$target"; else cat "$written" >"$target"; fi
