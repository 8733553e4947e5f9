import type { TranscriptService } from '@parlance/contracts';
import { separator } from '@parlance/transcript';
import type { JobReader, JobRef } from '../../transcriptions/job-reader.js';
import { stopped } from '../long-answers.js';
import { plainText, type TranscriptReading } from '../transcript-text.js';
import { speakerSegment } from './openai-answer.js';
import { isAnswerable } from './openai-jobs.js';
import { wordTokens, type TokenProbability } from './openai-logprobs.js';
import type { OpenAiRequest } from './openai-request.js';

/** Milliseconds of silence after which a comment keeps the connection open. */
const HEARTBEAT_MS = 15_000;

interface DeltaSources {
  reader: JobReader;
  transcripts: Pick<TranscriptService, 'listChunkSegments'>;
  /** The transcript once the job is answerable. @throws AppError when the job failed */
  finish: () => Promise<TranscriptReading>;
}

/**
 * The transcript as OpenAI's events: a delta for each segment as chunks finish, the segments with their speakers when these were
 * requested, then the whole text. Deltas are provisional: merging the chunks may still change words where two chunks meet.
 * @throws AppError of a job that failed, and when the server stops
 */
export async function* deltaEvents({ reader, transcripts, finish }: DeltaSources, ref: JobRef, asked: OpenAiRequest, signal: AbortSignal): AsyncGenerator<string> {
  let previous = '';
  let chunk = 0;
  for (;;) {
    const done = chunk;
    const job = await reader.getWhen(ref, (present) => present.chunksDone > done || isAnswerable(present, asked), HEARTBEAT_MS, signal);
    if (signal.aborted) throw stopped();
    const { segments, nextChunk } = await transcripts.listChunkSegments({ accountId: ref.accountId, jobId: ref.jobId, fromChunk: chunk });
    for (const { text } of segments) {
      yield event({ type: 'transcript.text.delta', delta: (previous === '' ? '' : separator(previous, text)) + text });
      previous = text;
    }
    if (segments.length === 0) yield ':\n\n';
    if (isAnswerable(job, asked) && nextChunk <= chunk) break;
    // Chunks that finished out of turn are counted, and are shown once those before them are done.
    if (nextChunk <= chunk) await reader.getWhen(ref, ({ version }) => version !== job.version, HEARTBEAT_MS, signal);
    chunk = nextChunk;
  }
  yield* ending(await finish(), asked);
}

async function* ending({ header, segments }: TranscriptReading, { speakers, logprobs }: OpenAiRequest): AsyncGenerator<string> {
  let index = 0;
  if (speakers) for await (const segment of segments()) yield event(speakerSegment(segment, index++, header.speakers));
  let text = '';
  for await (const piece of plainText(segments())) text += piece;
  const tokens: TokenProbability[] = [];
  if (logprobs) for await (const token of wordTokens(segments())) tokens.push(token);
  yield event({ type: 'transcript.text.done', text, ...(logprobs && { logprobs: tokens }), usage: { type: 'duration', seconds: Math.ceil(header.duration) } });
  yield 'data: [DONE]\n\n';
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
