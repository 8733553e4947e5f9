import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (name: string) => fileURLToPath(new URL(`../../../samples/${name}`, import.meta.url));

/** A recording of the repository whose exact words are known. */
interface Sample {
  path: string;
  /** Seconds, rounded. */
  duration: number;
  reference: string;
}

const sample = (file: string, duration: number): Sample => ({
  path: at(file),
  duration,
  reference: readFileSync(at(file.replace(/\.\w+$/, '.reference.txt')), 'utf8'),
});

export const SAMPLES = {
  meeting: sample('meeting.mp3', 41),
  reading: sample('reading.flac', 9),
  report: sample('report.mp4', 12),
} as const;
