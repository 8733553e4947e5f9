import { Inject, Injectable } from '@nestjs/common';
import { transcription, type ingest, type transcripts } from '@parlance/contracts';
import { hasTranscript, isOver } from '../../transcriptions/job-json.js';
import type { JobRef } from '../../transcriptions/job-reader.js';
import { CompatTranscripts } from '../compat-transcripts.js';
import type { LongAnswer } from '../long-answers.js';
import { segmentsOf } from '../transcript-text.js';
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
    return { ref, isReady, body: (job) => this.pieces({ ref, asked }, job), failure, start: 'json' };
  }

  private async body({ ref, asked }: WaitingRequest, job: ingest.Job): Promise<object> {
    const pages = await this.transcripts.pages(ref, job, true);
    const segments: transcripts.Segment[] = [];
    for await (const segment of segmentsOf(pages)) segments.push(segment);
    return deepgramAnswer(asked, { job, header: pages.first.header ?? transcription.TranscriptHeader.fromPartial({}), segments });
  }

  private async pieces(waiting: WaitingRequest, job: ingest.Job): Promise<AsyncGenerator<string>> {
    const body = await this.body(waiting, job);
    return (async function* () {
      yield JSON.stringify(body);
    })();
  }
}
