import { Inject, Injectable } from '@nestjs/common';
import { transcription, type ingest, type TranscriptService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { JobReader, type JobRef } from '../../transcriptions/job-reader.js';
import { requireTranscript } from '../job-failure.js';
import { jsonAnswer, plainText, type TranscriptPages } from './openai-answer.js';
import { deltaEvents } from './openai-deltas.js';
import { isAnswerable } from './openai-jobs.js';
import type { OpenAiRequest } from './openai-request.js';

/** Milliseconds between two spaces of an answer that is not there yet. */
const SPACE_EVERY_MS = 15_000;
/** The first line of WebVTT, behind which empty lines are allowed (W3C WebVTT, section 4.1). */
const VTT_HEADER = 'WEBVTT\n';

/** The answers to OpenAI's clients, which wait for the transcript. */
@Injectable()
export class OpenAiWaiting {
  constructor(
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: TranscriptService,
  ) {}

  /** @returns the job once it can be answered, or as it is after `waitMs` */
  wait(ref: JobRef, asked: OpenAiRequest, waitMs: number, signal: AbortSignal): Promise<ingest.Job> {
    return this.reader.getWhen(ref, (job) => isAnswerable(job, asked), waitMs, signal);
  }

  /** The body of an answer in any format but a stream. @throws AppError when the job failed */
  async body(ref: JobRef, asked: OpenAiRequest, job: ingest.Job): Promise<AsyncGenerator<string | Uint8Array>> {
    if (asked.format === 'srt' || asked.format === 'vtt') {
      requireTranscript(job);
      return this.captions(ref, asked.format);
    }
    const pages = await this.pages(ref, asked, job);
    return asked.format === 'text' ? withNewLine(plainText(pages)) : jsonAnswer(asked, job, pages);
  }

  /**
   * A body that begins with characters without a meaning in its format until the job is done: proxies and clients close connections that
   * are silent for long. @throws AppError for captions of a job that failed, as they cannot have an error in them
   */
  async *spacedBody(ref: JobRef, asked: OpenAiRequest, signal: AbortSignal, onFailure: (error: unknown) => string): AsyncGenerator<string | Uint8Array> {
    if (asked.format === 'vtt') yield VTT_HEADER;
    const isJson = asked.format.endsWith('json');
    for (;;) {
      yield isJson ? ' ' : '\n';
      const job = await this.wait(ref, asked, SPACE_EVERY_MS, signal);
      if (signal.aborted) return;
      if (!isAnswerable(job, asked)) continue;
      try {
        const body = await this.body(ref, asked, job);
        return yield* asked.format === 'vtt' ? withoutHeader(body) : body;
      } catch (error) {
        if (!isJson) throw error;
        return yield onFailure(error);
      }
    }
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

async function* withoutHeader(pieces: AsyncGenerator<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
  let isFirst = true;
  for await (const piece of pieces) {
    yield isFirst ? String(Buffer.from(piece)).replace(VTT_HEADER, '') : piece;
    isFirst = false;
  }
}

async function* withNewLine(text: AsyncGenerator<string>): AsyncGenerator<string> {
  yield* text;
  yield '\n';
}
