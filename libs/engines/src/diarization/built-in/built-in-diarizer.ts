import { abortError, engineFailed } from '../../speech/engine-errors.js';
import { SAMPLE_RATE } from '../../speech/pcm-format.js';
import { wholeSamples } from '../../voice-activity/whole-samples.js';
import type { AudioPiece, DiarizationEngineInfo, DiarizationRequest, DiarizationResult, SpeakerDiarizer } from '../speaker-diarizer.js';
import { DiarizationThread } from './diarization-thread.js';

/**
 * Distinguishes voices by the statistics of their spectra, offline and in any language; see docs/decisions/0022. Each
 * `diarize` has its own thread, which ends with it.
 */
export class BuiltInDiarizer implements SpeakerDiarizer {
  readonly info: DiarizationEngineInfo = { name: 'built-in', overlaps: false };

  async diarize({ audio, signal, minSpeakers, maxSpeakers }: DiarizationRequest): Promise<DiarizationResult> {
    if (signal.aborted) throw abortError(signal);
    const bounds = { ...(minSpeakers !== undefined && { minSpeakers }), ...(maxSpeakers !== undefined && { maxSpeakers }) };
    const thread = new DiarizationThread();
    try {
      let heardUntil = 0;
      for await (const piece of audio) heardUntil = await hear(thread, piece, heardUntil, signal);
      const result = await ask(thread, { finish: bounds }, signal);
      if (!result) throw engineFailed('The speaker diarizer returned no answer.');
      return result;
    } finally {
      await thread.close();
    }
  }

  /** There is nothing to be installed. */
  async check(): Promise<void> {}

  async close(): Promise<void> {}
}

/** Passes on the audio that did not occur in the piece before. @returns the end of the audio passed so far, seconds */
async function hear(thread: DiarizationThread, { start, pcm, speech }: AudioPiece, heardUntil: number, signal: AbortSignal): Promise<number> {
  let at = start;
  for await (const samples of wholeSamples(pcm)) {
    const skipped = Math.min(samples.length, Math.max(0, Math.round((heardUntil - at) * SAMPLE_RATE)));
    const from = at + skipped / SAMPLE_RATE;
    at += samples.length / SAMPLE_RATE;
    const isInside = (region: { start: number; end: number }) => region.end > from && region.start < at;
    if (skipped < samples.length) await ask(thread, { start: from, samples: samples.subarray(skipped), speech: speech.filter(isInside) }, signal);
  }
  return Math.max(at, heardUntil);
}

async function ask(thread: DiarizationThread, message: Parameters<DiarizationThread['ask']>[0], signal: AbortSignal) {
  try {
    return await thread.ask(message, signal);
  } catch (error) {
    if (signal.aborted) throw abortError(signal);
    throw engineFailed('The speaker diarizer failed.', { cause: error });
  }
}
