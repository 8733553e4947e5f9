import type { common, live, LiveMediaService, LiveService } from '@parlance/contracts';
import type { SessionInput } from '../audio/session-bytes.js';
import { optionsOf, type LiveSession, type RestartPoint } from '../session/live-session.js';
import { recognitionInput } from './recognition-input.js';
import { StallLimit } from './stall-limit.js';

/** Injection token of {@link RecognitionServices}. */
export const RECOGNITION_SERVICES = Symbol('RecognitionServices');

/** The services that a recognition needs. */
export interface RecognitionServices {
  live: Pick<LiveService, 'recognize'>;
  media: Pick<LiveMediaService, 'decode'>;
  /** Milliseconds for which a recognizer may stall. */
  stallMs: number;
}

interface RecognitionRun {
  session: LiveSession;
  start: RestartPoint;
  bytesFrom(offset: number, signal: AbortSignal): AsyncIterable<SessionInput>;
  /** Receives the end of the audio that was decoded so far, in samples at 16 kHz. */
  onDecoded(sample: number): void;
  signal: AbortSignal;
}

/** Recognizes a session once from a restart point on, until its audio ends. @throws AppError; the reason of the signal */
export async function* recognizeFrom({ live: service, media, stallMs }: RecognitionServices, { session, start, bytesFrom, onDecoded, signal }: RecognitionRun): AsyncGenerator<live.RecognizeResponse> {
  const stall = new StallLimit(stallMs);
  const over = new AbortController();
  const own = AbortSignal.any([signal, over.signal]);
  const input = recognitionInput({ accountId: session.accountId, audio: session.audio, sample: start.sample, bytesFrom: (offset) => stall.audio(bytesFrom(offset, own)), media, onDecoded, signal: own });
  try {
    yield* stall.events(service.recognize(requests(session, start, input), { timeoutMs: Infinity, signal: own }), own);
  } finally {
    over.abort();
  }
}

async function* requests(session: LiveSession, { sample, utterances }: RestartPoint, input: AsyncIterable<SessionInput>): AsyncGenerator<live.RecognizeRequest> {
  const { id, accountId, partials, endpointing } = session;
  const options: common.JobOptions = optionsOf(session);
  yield { part: { $case: 'open', value: { jobId: id, accountId, options, partials, ...endpointing, startSample: sample, utterancesBefore: utterances } } };
  for await (const item of input) yield { part: item === 'finalize' ? { $case: 'finalize', value: {} } : { $case: 'pcm', value: item } };
}
