#!/usr/bin/env bash
# Makes samples/ again. Needs Debian's flite, ffmpeg and pocketsphinx-testdata:
#   apt-get install flite ffmpeg pocketsphinx-testdata
set -euo pipefail

samples="$(cd "$(dirname "$0")/../samples" && pwd)"
librivox=/usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# bitexact: no encoder version and no date in the files, so that a second run gives the same bytes
convert() { ffmpeg -hide_banner -loglevel error -y "$@"; }

# say NAME VOICE TEXT: appends a spoken line with a pause after it to the recording, and its words to the reference
say() {
  local line="$work/$1-$(printf %03d "$(ls "$work" | wc -l)").wav"
  flite -voice "$2" -t "$3" -o "$work/line.wav"
  convert -i "$work/line.wav" -af adelay=100,apad=pad_dur=0.45 -ar 16000 -ac 1 "$line"
  echo "file '$line'" >>"$work/$1.list"
  echo "$3" >>"$work/$1.txt"
}

join() { convert -f concat -safe 0 -i "$work/$1.list" -c copy "$work/$1.wav"; }

say meeting rms "Good morning, and thank you for coming to the meeting today."
say meeting slt "Good morning. I would like to talk about the money that we have left this year."
say meeting rms "Yes, of course. How much do we have?"
say meeting slt "There is enough for the new house, but not for the street."
say meeting rms "That is good news. When do you think that we can open the doors to the public?"
say meeting slt "I think that it will be ready by the end of next month. There are still some problems with the water and the power."
say meeting rms "The city has asked us for a report. Can you write it before Friday?"
say meeting slt "Yes. You will have it in the morning."
say meeting rms "Thank you very much. We will meet again next week at the same time."
join meeting
convert -i "$work/meeting.wav" -b:a 48k -map_metadata -1 -fflags +bitexact -flags:a +bitexact "$samples/meeting.mp3"
cp "$work/meeting.txt" "$samples/meeting.reference.txt"

convert -i "$librivox-0920.wav" -i "$librivox-0930.wav" -filter_complex '[0][1]concat=n=2:v=0:a=1' \
  -map_metadata -1 -fflags +bitexact -flags:a +bitexact "$samples/reading.flac"
cat >"$samples/reading.reference.txt" <<'TEXT'
Had he married a more amiable woman, he might have been made still more respectable than he was:
he might even have been made amiable himself.
TEXT

say report awb "The first part of the work is done."
say report awb "The team has finished the building, and the people are very happy with it."
say report awb "We need to talk about the new project and the money that we have left this year."
join report
seconds="$(ffprobe -v error -show_entries format=duration -of csv=p=0 "$work/report.wav")"
convert -i "$work/report.wav" -f lavfi -i "testsrc2=size=320x180:rate=10:duration=$seconds" \
  -c:v libx264 -preset veryslow -crf 34 -pix_fmt yuv420p -c:a aac -b:a 48k -movflags +faststart \
  -map 1:v -map 0:a -map_metadata -1 -fflags +bitexact -flags:v +bitexact -flags:a +bitexact "$samples/report.mp4"
cp "$work/report.txt" "$samples/report.reference.txt"
