import { Inject, Injectable } from '@nestjs/common';
import { transcription, type ingest } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { hasTranscript, isOver } from '../../transcriptions/job-json.js';
import { JobReader, type JobRef } from '../../transcriptions/job-reader.js';
import { requireTranscript } from '../job-failure.js';
import type { LongAnswer } from '../long-answers.js';
import { deepgramAnswer } from './deepgram-answer.js';
import type { DeepgramRequest } from './deepgram-request.js';

/** A request that has its job. */
interface WaitingRequest {
  ref: JobRef;
  asked: DeepgramRequest;
}

/** The answers to Deepgram's clients, which wait for the transcript. */
@Injectable()
export class DeepgramWaiting {
  constructor(@Inject(JobReader) private readonly reader: JobReader) {}

  answer({ ref, asked }: WaitingRequest, failure: (error: unknown) => string): LongAnswer {
    const isReady = (job: ingest.Job) => isOver(job) || (!asked.diarize && hasTranscript(job));
    return { ref, isReady, body: (job) => this.pieces({ ref, asked }, job), failure, start: 'json' };
  }

  private async body({ ref, asked }: WaitingRequest, job: ingest.Job): Promise<object> {
    requireTranscript(job);
    const pages = await this.reader.transcript(ref, true);
    if (!pages) throw new AppError({ kind: 'internal', code: 'internal', message: 'The transcript is missing.' });
    const segments = [...pages.first.segments];
    for await (const page of pages.rest) segments.push(...page.segments);
    return deepgramAnswer(asked, { job, header: pages.first.header ?? transcription.TranscriptHeader.fromPartial({}), segments });
  }

  private async pieces(waiting: WaitingRequest, job: ingest.Job): Promise<AsyncGenerator<string>> {
    const body = await this.body(waiting, job);
    return (async function* () {
      yield JSON.stringify(body);
    })();
  }
}
