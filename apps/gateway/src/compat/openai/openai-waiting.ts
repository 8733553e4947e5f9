import { Inject, Injectable } from '@nestjs/common';
import { transcription, type ingest, type TranscriptService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { JobReader, type JobRef } from '../../transcriptions/job-reader.js';
import { requireTranscript } from '../job-failure.js';
import type { LongAnswer } from '../long-answer.js';
import { jsonAnswer, plainText, type TranscriptPages } from './openai-answer.js';
import { deltaEvents } from './openai-deltas.js';
import { isAnswerable } from './openai-jobs.js';
import type { OpenAiRequest } from './openai-request.js';

/** The answers to OpenAI's clients, which wait for the transcript. */
@Injectable()
export class OpenAiWaiting {
  constructor(
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: TranscriptService,
  ) {}

  /** The body of an answer in any format but a stream. @throws AppError when the job failed */
  async body(ref: JobRef, asked: OpenAiRequest, job: ingest.Job): Promise<AsyncGenerator<string | Uint8Array>> {
    if (asked.format === 'srt' || asked.format === 'vtt') {
      requireTranscript(job);
      return this.captions(ref, asked.format);
    }
    const pages = await this.pages(ref, asked, job);
    return asked.format === 'text' ? withNewLine(plainText(pages)) : jsonAnswer(asked, job, pages);
  }

  /** The answer in any format but a stream, while it is waited for. */
  answer(ref: JobRef, asked: OpenAiRequest, signal: AbortSignal, onFailure: (error: unknown) => string): LongAnswer {
    return {
      wait: (waitMs) => this.reader.getWhen(ref, (job) => isAnswerable(job, asked), waitMs, signal),
      isAnswerable: (job) => isAnswerable(job, asked),
      body: (job) => this.body(ref, asked, job),
      onFailure,
      signal,
    };
  }

  /** Server-sent events. A failure after the first of them is an event too, because the status is sent already. */
  async *events(ref: JobRef, asked: OpenAiRequest, signal: AbortSignal, onFailure: (error: unknown) => string): AsyncGenerator<string> {
    const finish = async () => this.pages(ref, asked, await this.reader.get(ref));
    try {
      yield* deltaEvents({ reader: this.reader, transcripts: this.transcripts, finish }, ref, asked, signal);
    } catch (error) {
      yield `data: ${onFailure(error)}\n\n`;
    }
  }

  private async pages(ref: JobRef, { format, words }: OpenAiRequest, job: ingest.Job): Promise<TranscriptPages> {
    requireTranscript(job);
    const pages = await this.reader.transcript(ref, format === 'verbose_json' && words);
    if (!pages) throw new AppError({ kind: 'internal', code: 'internal', message: 'The transcript is missing.' });
    return pages;
  }

  private async *captions({ accountId, jobId }: JobRef, format: 'srt' | 'vtt'): AsyncGenerator<Uint8Array> {
    const message = format === 'srt' ? transcription.TranscriptFormat.TRANSCRIPT_FORMAT_SRT : transcription.TranscriptFormat.TRANSCRIPT_FORMAT_VTT;
    for await (const { data } of this.transcripts.renderTranscript(transcription.RenderTranscriptRequest.fromPartial({ accountId, jobId, format: message, speakers: false }))) yield data;
  }
}

async function* withNewLine(text: AsyncGenerator<string>): AsyncGenerator<string> {
  yield* text;
  yield '\n';
}
