import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const samples = fileURLToPath(new URL('../samples/', import.meta.url));

const stories = fileURLToPath(new URL('./recordings/', import.meta.url));

/** The recordings of the repository that have a reference: name, path, and what is truly said. */
export const referencedRecordings = () => [...referencedIn(samples), ...referencedIn(stories)];

const referencedIn = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.reference.txt'))
    .map((name) => {
      const stem = name.replace('.reference.txt', '');
      const media = readdirSync(folder).find((file) => file.startsWith(`${stem}.`) && !file.endsWith('.txt'));
      return { name: media, path: join(folder, media), reference: readFileSync(join(folder, name), 'utf8') };
    });

/** A recording of the wanted length: a sample over and over. */
export function longRecording(folder, seconds) {
  const path = join(folder, `long-${seconds}.mp3`);
  ffmpeg(['-stream_loop', '-1', '-i', join(samples, 'meeting.mp3'), '-t', String(seconds), '-c', 'copy', path]);
  return path;
}

/** 16 kHz mono s16le, as the engines take it. */
export const pcmOf = (path) => ffmpeg(['-i', path, '-f', 's16le', '-ac', '1', '-ar', '16000', '-']);

/** Writes raw samples as the media file that the path names. */
export const writeMedia = (path, samples, format) => ffmpeg(['-y', ...format, '-i', 'pipe:0', path], samples);

function ffmpeg(args, input) {
  const { status, stdout, stderr } = spawnSync('ffmpeg', ['-v', 'error', ...args], { input: input ?? '', maxBuffer: 2 ** 31 - 1 });
  if (status !== 0) throw new Error(`ffmpeg: ${stderr}`);
  return stdout;
}
