import { Inject, Injectable } from '@nestjs/common';
import type { ingest, TranscriptService } from '@parlance/contracts';
import { TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { JobReader, type JobRef } from '../../transcriptions/job-reader.js';
import { CompatTranscripts } from '../compat-transcripts.js';
import { requireTranscript } from '../job-failure.js';
import { gathered, plainText, type TranscriptReading } from '../transcript-text.js';
import { jsonAnswer } from './openai-answer.js';
import { deltaEvents } from './openai-deltas.js';
import type { OpenAiRequest } from './openai-request.js';

/** The answers to OpenAI's clients, which wait for the transcript. */
@Injectable()
export class OpenAiWaiting {
  constructor(
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: Pick<TranscriptService, 'listChunkSegments'>,
    @Inject(CompatTranscripts) private readonly done: CompatTranscripts,
  ) {}

  /** The body of an answer in any format but a stream. @throws AppError when the job failed */
  async body(ref: JobRef, asked: OpenAiRequest, job: ingest.Job, signal: AbortSignal): Promise<AsyncGenerator<string | Uint8Array>> {
    if (asked.format === 'srt' || asked.format === 'vtt') {
      requireTranscript(job);
      return this.done.captions(ref, asked.format, signal);
    }
    const reading = await this.reading(ref, asked, job, signal);
    return gathered(asked.format === 'text' ? withNewLine(plainText(reading.segments())) : jsonAnswer(asked, job, reading));
  }

  /** Server-sent events. A failure after the first of them is an event too, because the status is sent already. */
  async *events(ref: JobRef, asked: OpenAiRequest, signal: AbortSignal, onFailure: (error: unknown) => string): AsyncGenerator<string> {
    const finish = async () => this.reading(ref, asked, await this.reader.get(ref), signal);
    try {
      yield* deltaEvents({ reader: this.reader, transcripts: this.transcripts, finish }, ref, asked, signal);
    } catch (error) {
      yield `data: ${onFailure(error)}\n\n`;
    }
  }

  private reading(ref: JobRef, { format, words, logprobs }: OpenAiRequest, job: ingest.Job, signal: AbortSignal): Promise<TranscriptReading> {
    return this.done.reading(ref, job, logprobs || (format === 'verbose_json' && words), signal);
  }
}

async function* withNewLine(text: AsyncGenerator<string>): AsyncGenerator<string> {
  yield* text;
  yield '\n';
}
