// Makes the dialogues of this folder again, with their references. Needs Debian's flite and ffmpeg.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeDialogue, RATE, rttmOf } from '../../../../bench/dialogues/make-dialogue.mjs';

const DIALOGUES = {
  two: { voices: ['slt', 'rms'], seconds: 25, seed: 41 },
  three: { voices: ['awb', 'slt', 'kal16'], seconds: 40, overlaps: 0.2, seed: 47 },
};

for (const [name, dialogue] of Object.entries(DIALOGUES)) {
  const { samples, reference } = makeDialogue(dialogue);
  const to = fileURLToPath(new URL(`${name}.ogg`, import.meta.url));
  const raw = ['-f', 's16le', '-ar', String(RATE), '-ac', '1', '-i', '-'];
  const opus = ['-c:a', 'libopus', '-b:a', '20k', '-map_metadata', '-1', '-fflags', '+bitexact', '-flags:a', '+bitexact'];
  const input = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...raw, ...opus, to], { input });
  if (status !== 0) throw new Error(`ffmpeg: ${stderr}`);
  writeFileSync(to.replace('.ogg', '.rttm'), rttmOf(name, reference));
}
