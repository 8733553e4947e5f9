import type { common, live } from '@parlance/contracts';
import type { StreamingInput } from '@parlance/engines';
import { AppError } from '@parlance/platform';
import type { RecognitionOptions, RedactionOptions } from '@parlance/transcript';

/** Takes the opening off a stream of requests. @throws AppError when the stream begins with something else */
export async function openingOf(requests: AsyncIterator<live.RecognizeRequest>): Promise<live.OpenRecognition> {
  const { value, done } = await requests.next();
  if (!done && value.part?.$case === 'open') return value.part.value;
  throw unexpected('The first request has to open the recognition.');
}

/** The audio and orders that follow the opening. @param onAudio gets the length of each piece when it arrives, in bytes */
export async function* inputsOf(requests: AsyncIterator<live.RecognizeRequest>, onAudio: (bytes: number) => void): AsyncGenerator<StreamingInput> {
  try {
    for (let next = await requests.next(); !next.done; next = await requests.next()) {
      const { part } = next.value;
      if (part?.$case === 'open') throw unexpected('The recognition is open already.');
      if (part?.$case === 'finalize') yield 'finalize';
      if (part?.$case !== 'pcm') continue;
      onAudio(part.value.byteLength);
      yield { pcm: part.value };
    }
  } finally {
    await requests.return?.();
  }
}

/** Takes the part of a job's options that a chunk plan has too: about the engine and the writing of words. */
export function recognitionOptionsOf(options: common.JobOptions | undefined): RecognitionOptions {
  const { language, languageDetection: detection, vocabulary = [], model, spelling, redaction } = options ?? {};
  return { language, detection, vocabulary, model, ...spelling, redaction: redaction && redactionOptions(redaction) };
}

/** Hashes have no key here, so their words have labels. */
const redactionOptions = ({ policies, style }: common.Redaction): RedactionOptions => ({ policies, style: style === 'mask' ? 'mask' : 'label' });

const unexpected = (message: string) => new AppError({ kind: 'invalid', code: 'malformed_request', message });
