/** The audio format of every engine: s16le, 16 kHz, one channel. */
export const SAMPLE_RATE = 16_000;
export const BYTES_PER_SECOND = SAMPLE_RATE * 2;

/** Length in seconds. */
export const pcmSeconds = (pcm: Uint8Array): number => pcm.byteLength / BYTES_PER_SECOND;

/** The samples without a copy where alignment allows; a trailing odd byte is left out. */
export function samplesOf(pcm: Uint8Array): Int16Array {
  const count = pcm.byteLength >> 1;
  if (pcm.byteOffset % 2 === 0) return new Int16Array(pcm.buffer, pcm.byteOffset, count);
  return new Int16Array(pcm.slice(0, count * 2).buffer);
}

/** Seconds to the millisecond. */
export const toMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;
