import { SAMPLE_RATE } from '../../speech/pcm-format.js';
import { wholeSamples } from '../../voice-activity/whole-samples.js';
import type { AudioPiece } from '../speaker-diarizer.js';

/** Long enough to hear each voice of a conversation several times. */
const BLOCK_SECONDS = 120;

interface AudioBlock {
  /** In seconds of the media. */
  start: number;
  samples: Int16Array<ArrayBuffer>;
}

/**
 * The recording in blocks of `seconds` to twice that, cut where a piece ends when it can be: what is held in memory does not
 * grow with its length. What two pieces both hold is taken once, and where nothing was planned between two, one block ends.
 */
export async function* blocksOfAudio(audio: AsyncIterable<AudioPiece>, seconds = BLOCK_SECONDS): AsyncGenerator<AudioBlock> {
  const buffer = new Int16Array(2 * seconds * SAMPLE_RATE);
  let filled = 0;
  let start = 0;
  const heardUntil = () => start + filled;
  const block = (): AudioBlock => {
    const samples = buffer.slice(0, filled);
    start += filled;
    filled = 0;
    return { start: (start - samples.length) / SAMPLE_RATE, samples };
  };
  for await (const piece of audio) {
    let at = Math.round(piece.start * SAMPLE_RATE);
    if (filled > 0 && at > heardUntil()) yield block();
    if (filled === 0) start = Math.max(start, at);
    for await (const samples of wholeSamples(piece.pcm)) {
      let fresh = samples.subarray(Math.min(samples.length, Math.max(0, heardUntil() - at)));
      at += samples.length;
      while (fresh.length > 0) {
        const room = buffer.length - filled;
        buffer.set(fresh.subarray(0, room), filled);
        filled += Math.min(room, fresh.length);
        fresh = fresh.subarray(room);
        if (filled === buffer.length) yield block();
      }
    }
    if (filled >= seconds * SAMPLE_RATE) yield block();
  }
  if (filled > 0) yield block();
}
