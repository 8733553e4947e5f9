import { Inject, Injectable } from '@nestjs/common';
import type { ingest, JobService } from '@parlance/contracts';
import { notFound } from '@parlance/platform';
import { JOB_SERVICE } from '@parlance/runtime';
import { RetentionRules } from '../plans/index.js';
import { JobHeaders } from './job-headers.js';
import type { TranscriptionChanges } from './job-options-schema.js';
import type { JobRef } from './job-reader.js';

/** The revisions of the job in tags of If-Match, whatever transcript and representation the tag is of. */
export const jobRevisionsOf = (tags: readonly string[]): string[] => tags.map((tag) => /^\d+/.exec(tag)?.[0] ?? tag);

/** Changes what callers may say of a job at any time. */
@Injectable()
export class JobChanges {
  constructor(
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'updateJob'>,
    @Inject(RetentionRules) private readonly retention: Pick<RetentionRules, 'of'>,
    @Inject(JobHeaders) private readonly headers: Pick<JobHeaders, 'sealForCallback'>,
  ) {}

  /** @param ifMatch revisions of which the job must have one; empty: any. @throws AppError not_found, precondition_failed, invalid_request for a retention that the account may not have */
  async make(ref: JobRef, changes: TranscriptionChanges, ifMatch: string[]): Promise<ingest.Job> {
    const { title, recorded_at: recordedAt, metadata, callback_url: callbackUrl, callback_headers: headers, callback_include: include } = changes;
    const kept = await this.retentionOf(ref.accountId, changes);
    const { job } = await this.jobs.updateJob({
      ...ref,
      ifMatch,
      title: changed(title),
      recordedAt: changed(typeof recordedAt === 'string' ? new Date(recordedAt) : recordedAt),
      metadata: metadata === undefined ? undefined : { pairs: metadata ?? {} },
      retentionHours: 'retention_hours' in changes ? { value: kept.retention_hours } : undefined,
      mediaRetentionHours: 'media_retention_hours' in changes ? { value: kept.media_retention_hours } : undefined,
      callbackUrl: changed(callbackUrl),
      callbackInclude: include === undefined ? undefined : { names: include ?? [] },
      sealedCallbackHeaders: changed(headers && this.headers.sealForCallback(headers, ref.accountId, ref.jobId)),
    });
    if (!job) throw notFound('The transcription');
    return job;
  }

  /** As for a new job: null asks for the default of the account. */
  private retentionOf(accountId: string, { retention_hours: hours, media_retention_hours: mediaHours }: TranscriptionChanges) {
    return this.retention.of(accountId, { retention_hours: hours ?? undefined, media_retention_hours: mediaHours ?? undefined });
  }
}

/** A message without a value removes the field. */
const changed = <Value>(value: Value | null | undefined): { value: Value | undefined } | undefined => (value === undefined ? undefined : { value: value ?? undefined });
