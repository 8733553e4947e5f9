#!/usr/bin/env bash
# Generates the types from the API description, and the asynchronous client from the synchronous one; `--check` fails when a committed file differs.
set -euo pipefail
cd "$(dirname "$0")"
root=../..
venv=$(cd "$root" && .ci/venv -r sdks/python/requirements-dev.txt)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$venv/bin/datamodel-codegen" --input "$root/apps/gateway/openapi.json" --input-file-type openapi --output "$folder/types.py" \
  --output-model-type typing.TypedDict --target-python-version 3.10 --disable-timestamp --use-annotated --formatters black isort >/dev/null
"$venv/bin/python" generate_async.py >"$folder/_async_client.py"
for file in types.py _async_client.py; do
  if [ "${1:-}" = --check ]; then cmp "$folder/$file" "src/parlance/$file"; else cp "$folder/$file" "src/parlance/$file"; fi
done
