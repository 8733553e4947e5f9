import { Inject, Injectable } from '@nestjs/common';
import type { ingest } from '@parlance/contracts';
import { hasTranscript, isOver } from '../../transcriptions/job-json.js';
import type { JobRef } from '../../transcriptions/job-reader.js';
import { CompatTranscripts } from '../compat-transcripts.js';
import type { LongAnswer } from '../long-answers.js';
import { gathered } from '../transcript-text.js';
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
  constructor(@Inject(CompatTranscripts) private readonly transcripts: CompatTranscripts) {}

  answer({ ref, asked }: WaitingRequest, failure: (error: unknown) => string): LongAnswer {
    const isReady = (job: ingest.Job) => isOver(job) || (!asked.diarize && hasTranscript(job));
    return { ref, isReady, body: (job, signal) => this.pieces({ ref, asked }, job, signal), failure, start: 'json' };
  }

  private async pieces({ ref, asked }: WaitingRequest, job: ingest.Job, signal: AbortSignal): Promise<AsyncGenerator<string>> {
    return gathered(deepgramAnswer(asked, { job, reading: await this.transcripts.reading(ref, job, true, signal) }));
  }
}
