import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeScratch } from '@parlance/platform';
import { engineFailed } from '../engine-errors.js';
import { SAMPLE_RATE, samplesOf } from '../pcm-format.js';
import type { RecognizedWord } from '../speech-recognizer.js';
import { decodedAll, parseCtm, type DecodedUtterance } from './ctm.js';
import type { PocketsphinxInstallation } from './pocketsphinx-installation.js';
import { RunningPocketsphinx } from './run-pocketsphinx.js';
import { splitAtPauses } from './split-at-pauses.js';
import { wordsWithoutPauses } from './words-without-pauses.js';

/** Measured: a third off the time of the defaults at the same word error rate (docs/engines.md). */
const SEARCH = ['-maxhmmpf', '3000', '-fwdflat', 'no'];
export interface Decoder extends PocketsphinxInstallation {
  /** Version 0.8 drops silence before decoding, which shifts every later time, unless this flag is set; 5.x has no such option. */
  flags: string[];
}

/** A process for one call, with a folder of its own, which is removed however the call ends. It loads its models before the audio is there. */
export class DecoderProcess {
  private constructor(
    private readonly folder: string,
    private readonly running: RunningPocketsphinx,
  ) {}

  static async start(decoder: Decoder, temporaryFolder: string): Promise<DecoderProcess> {
    const folder = await mkdtemp(join(temporaryFolder, 'parlance-pocketsphinx-'));
    return new DecoderProcess(folder, new RunningPocketsphinx(decoder.binary, argumentsFor(decoder, folder)));
  }

  /** Decodes the audio of its call, cut at its pauses. @throws AppError engine_failed, or what the abort means */
  async decode(pcm: Uint8Array, signal: AbortSignal): Promise<RecognizedWord[]> {
    try {
      const utterances = await writeUtterances(this.folder, pcm);
      const { ctm, hypotheses } = await this.running.decode(utterances.map(({ id }) => id), signal);
      if (!decodedAll(hypotheses, utterances)) throw engineFailed('pocketsphinx ended before it had transcribed all of the audio.');
      return wordsWithoutPauses(parseCtm(ctm, utterances), samplesOf(pcm));
    } finally {
      await this.end();
    }
  }

  async end(): Promise<void> {
    await this.running.end();
    await removeScratch(this.folder);
  }
}

async function writeUtterances(folder: string, pcm: Uint8Array): Promise<DecodedUtterance[]> {
  const pieces = splitAtPauses(samplesOf(pcm));
  const utterances = pieces.map(({ from, to }, index) => ({ id: `u${index}`, start: from / SAMPLE_RATE, end: to / SAMPLE_RATE }));
  await Promise.all(pieces.map(({ from, to }, index) => writeFile(join(folder, `u${index}.raw`), pcm.subarray(from * 2, to * 2))));
  return utterances;
}

const argumentsFor = ({ model, flags }: Decoder, folder: string): string[] => {
  const models = { '-hmm': join(model, 'en-us'), '-lm': join(model, 'en-us.lm.bin'), '-dict': join(model, 'cmudict-en-us.dict') };
  const input = { '-cepdir': folder, '-cepext': '.raw', '-adcin': 'yes', '-adchdr': '0' };
  return [...Object.entries({ ...models, ...input }).flat(), ...SEARCH, ...flags];
};
