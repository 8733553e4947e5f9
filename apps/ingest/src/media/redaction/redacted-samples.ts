import { SAMPLE_RATE } from '../decoder-arguments.js';
import type { Stretch } from './redacted-stretches.js';

/** Silence or a tone replaces redacted words in a recording. */
export type AudioStyle = 'silence' | 'beep';

const SAMPLE_BYTES = 2;
const BEEP_HZ = 1000;
/** A fifth of the full scale: as loud as speech. */
const BEEP_LEVEL = 0.2 * 32_767;

interface SampleOptions {
  /** In order and apart. */
  stretches: readonly Stretch[];
  channels: number;
  style: AudioStyle;
}

/**
 * The audio with all channels overwritten in the stretches, to the sample.
 * @param blocks s16le, 16 kHz, the samples of the channels in turn; a block may end within a sample
 */
export async function* redactedSamples(blocks: AsyncIterable<Uint8Array>, { stretches, channels, style }: SampleOptions): AsyncGenerator<Uint8Array> {
  const frameBytes = SAMPLE_BYTES * channels;
  const ranges = stretches.map(({ start, end }) => ({ from: Math.floor(start * SAMPLE_RATE) * frameBytes, to: Math.ceil(end * SAMPLE_RATE) * frameBytes }));
  const beep = beepOf(channels);
  let offset = 0;
  let next = 0;
  for await (const block of blocks) {
    const bytes = Buffer.from(block);
    const end = offset + bytes.length;
    for (let index = next; (ranges[index]?.from ?? Infinity) < end; index += 1) {
      const { from, to } = ranges[index] as (typeof ranges)[number];
      if (to <= end) next = index + 1;
      const [first, last] = [Math.max(from, offset), Math.min(to, end)];
      if (style === 'silence') bytes.fill(0, first - offset, last - offset);
      else for (let at = first; at < last; at += 1) bytes[at - offset] = beep[at % beep.length] as number;
    }
    yield bytes;
    offset = end;
  }
}

/** One period of the tone, in all channels. */
function beepOf(channels: number): Buffer {
  const period = SAMPLE_RATE / BEEP_HZ;
  const tone = Buffer.alloc(period * channels * SAMPLE_BYTES);
  for (let sample = 0; sample < period * channels; sample += 1) tone.writeInt16LE(Math.round(BEEP_LEVEL * Math.sin((2 * Math.PI * Math.floor(sample / channels)) / period)), sample * SAMPLE_BYTES);
  return tone;
}
