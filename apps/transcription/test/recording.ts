import type { ChunkPlan, PlannedChunk } from '@parlance/transcript';

const RATE = 16_000;

/** A made-up recording: bursts of noise, each of which the fixture engine hears as one word. 16 kHz, mono, s16le. */
export function recordingOf(seconds: number, seed = 1): Int16Array {
  const samples = new Int16Array(seconds * RATE);
  const random = mulberry32(seed);
  for (let at = 0.2 * RATE; at < samples.length; ) {
    const burst = Math.floor((0.15 + 0.25 * random()) * RATE);
    for (let index = 0; index < burst && at + index < samples.length; index++) {
      samples[at + index] = (random() < 0.5 ? -1 : 1) * Math.floor(2000 + 8000 * random());
    }
    at += burst + Math.floor((0.08 + 0.2 * random()) * RATE);
  }
  return samples;
}

export const bytesOf = (samples: Int16Array): Uint8Array => new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);

/** The samples from `start` to `end`, seconds. */
export const audioOf = (samples: Int16Array, { start, end }: { start: number; end: number }): Uint8Array =>
  bytesOf(samples.slice(Math.round(start * RATE), Math.round(end * RATE)));

/** A plan that cuts anywhere, in the middle of words too, with two seconds heard twice at each cut. */
export function planOf(jobId: string, prefix: string, duration: number, chunkSeconds: number): ChunkPlan {
  const chunks: PlannedChunk[] = [];
  for (let ownStart = 0; ownStart < duration; ownStart += chunkSeconds) {
    const ownEnd = Math.min(duration, ownStart + chunkSeconds);
    const [start, end] = [Math.max(0, ownStart - 1), Math.min(duration, ownEnd + 1)];
    const index = chunks.length;
    const audioKey = `${prefix}/audio/${String(index).padStart(6, '0')}.pcm`;
    chunks.push({ index, start, end, ownStart, ownEnd, speech: [{ start, end }], audioKey });
  }
  return { jobId, duration, sampleRate: 16000, options: { vocabulary: [] }, chunks };
}

/** A small generator of numbers from 0 to 1 that is the same for the same seed (Tommy Ettinger, public domain). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
