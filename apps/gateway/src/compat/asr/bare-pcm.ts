import { wavHeader } from '../wav-header.js';

const SAMPLE_RATE = 16_000;
const SAMPLE_BYTES = 2;

/** Samples without a header (signed, 16 bits, little-endian, 16 kHz, mono) as a WAV file. Nothing stays nothing. */
export async function* wavOfPcm(samples: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const bytes of samples) {
    if (isFirst && bytes.length > 0) {
      yield wavHeader({ format: 1, bytes: SAMPLE_BYTES, sampleRate: SAMPLE_RATE, channels: 1 });
      isFirst = false;
    }
    yield bytes;
  }
}

/** The first seconds of such samples. The rest is read and left out. */
export async function* firstSeconds(samples: AsyncIterable<Uint8Array>, seconds: number): AsyncGenerator<Uint8Array> {
  let left = seconds * SAMPLE_RATE * SAMPLE_BYTES;
  for await (const bytes of samples) {
    if (left > 0) yield bytes.subarray(0, left);
    left -= bytes.length;
  }
}
