import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (name: string) => fileURLToPath(new URL(`../../../samples/${name}`, import.meta.url));

/** A recording of samples/ as s16le, 16 kHz, mono. */
export const samplePcm = (name: string): Uint8Array =>
  execFileSync('ffmpeg', ['-v', 'error', '-i', path(name), '-vn', '-ac', '1', '-ar', '16000', '-f', 's16le', '-'], {
    maxBuffer: 2 ** 26,
  });

/** The exact words of a recording. */
export const sampleReference = (name: string): string => readFileSync(path(name.replace(/\.\w+$/, '.reference.txt')), 'utf8');
