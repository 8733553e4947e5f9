#!/usr/bin/env bash
# Makes stories.ogg again: stories.lines.txt (VOICE|SENTENCE, written for Parlance) read by flite's voices.
# Needs Debian's flite and ffmpeg.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
convert() { ffmpeg -hide_banner -loglevel error -y "$@" </dev/null; }

index=0
: >"$here/stories.reference.txt"
while IFS='|' read -r voice sentence; do
  index=$((index + 1))
  line=$work/$(printf %03d $index).wav
  flite -voice "$voice" -t "$sentence" -o "$work/spoken.wav"
  convert -i "$work/spoken.wav" -af adelay=100,apad=pad_dur=0.45 -ar 16000 -ac 1 "$line"
  echo "file '$line'" >>"$work/list"
  echo "$sentence" >>"$here/stories.reference.txt"
done <"$here/stories.lines.txt"
convert -f concat -safe 0 -i "$work/list" -c:a libopus -b:a 24k -map_metadata -1 -fflags +bitexact -flags:a +bitexact "$here/stories.ogg"
