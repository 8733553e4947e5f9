import { Inject, Injectable } from '@nestjs/common';
import type { ingest, JobService, TranscriptService } from '@parlance/contracts';
import { toAppError } from '@parlance/platform';
import { JOB_SERVICE, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import type { InputOf } from '../http/request-input.js';
import { diarizationOf, summaryOf } from './job-options.js';
import type { JobRef } from './job-reader.js';
import type { orderAddOns } from './transcription-operations.js';

/** Orders add-ons of completed jobs. */
@Injectable()
export class AddOnOrders {
  constructor(
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'orderAddOns'>,
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: Pick<TranscriptService, 'listSpeakers'>,
  ) {}

  /** @throws AppError not_found, invalid_state */
  async make(ref: JobRef, { diarization, summary, highlights, chapters, entities }: InputOf<typeof orderAddOns>['body']): Promise<ingest.OrderAddOnsResponse> {
    return this.jobs.orderAddOns({
      ...ref,
      diarization: diarization === false ? undefined : diarizationOf(diarization),
      summary: summary === false ? undefined : summaryOf(summary),
      highlights,
      chapters,
      entities,
      transcriptRevision: await this.revisionOf(ref),
    });
  }

  /** @returns 0 without a transcript, and while transcription is away: ingest then goes by the newest revision that was announced to it */
  private async revisionOf(ref: JobRef): Promise<number> {
    try {
      return (await this.transcripts.listSpeakers(ref)).revision ?? 0;
    } catch (error) {
      if (['not_found', 'unavailable', 'timeout'].includes(toAppError(error).kind)) return 0;
      throw error;
    }
  }
}
