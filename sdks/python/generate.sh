#!/usr/bin/env bash
# Generates the types from the API description, and the asynchronous client from the synchronous one; `--check` fails when a committed file differs.
set -euo pipefail
cd "$(dirname "$0")"
root=../..
venv=$(cd "$root" && .ci/venv -r sdks/python/requirements-dev.txt)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
types() { # types INPUT KIND OUTPUT OPTION… — typed dictionaries of a description
  "$venv/bin/datamodel-codegen" --input "$1" --input-file-type "$2" --output "$folder/$3" \
    --output-model-type typing.TypedDict --target-python-version 3.10 --disable-timestamp --use-annotated --formatters black isort "${@:4}" >/dev/null
}
types "$root/apps/gateway/openapi.json" openapi types.py --openapi-scopes schemas paths parameters --use-operation-id-as-name
types "$root/docs/live/asyncapi.yaml" asyncapi live_types.py
"$venv/bin/python" generate_async.py "$folder/_async"
if [ "${1:-}" = --check ]; then
  for file in types.py live_types.py; do cmp "$folder/$file" "src/parlance/$file"; done
  diff -r --exclude __pycache__ "$folder/_async" src/parlance/_async
else
  rm -rf src/parlance/_async
  cp -r "$folder/." src/parlance/
fi
