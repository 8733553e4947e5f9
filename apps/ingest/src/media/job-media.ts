import { Inject, Injectable } from '@nestjs/common';
import { mediaKeys } from '@parlance/contracts';
import { MEDIA_STORE } from '@parlance/runtime';
import type { MediaStore } from '@parlance/storage';
import { isOpenStage, type Job } from '../jobs/state/job.js';
import { removePieces } from './live/live-pieces.js';

interface JobRef {
  accountId: string;
  jobId: string;
}

/** Removes the media that a job does not need any more. Every removal may be repeated. */
@Injectable()
export class JobMedia {
  constructor(@Inject(MEDIA_STORE) private readonly store: MediaStore) {}

  /** Removes everything. @returns the number of removed objects */
  removeAll({ accountId, jobId }: JobRef): Promise<number> {
    return this.store.removePrefix(mediaKeys(accountId, jobId).all);
  }

  /** @param job undefined when it was deleted: then nothing of it stays */
  async removeUnneeded(ref: JobRef, job: Job | undefined): Promise<void> {
    if (!job) return void (await this.removeAll(ref));
    const keys = mediaKeys(ref.accountId, ref.jobId);
    if (!needsAudio(job)) await this.store.removePrefix(keys.audioPrefix);
    if (job.source.kind === 'live' && job.status === 'canceled') await removePieces(this.store, keys);
  }
}

/**
 * Transcription and diarization read the decoded audio, and so does a retry of either. The source stays until the job is deleted
 * or its media retention is over.
 */
function needsAudio({ status, stages }: Pick<Job, 'status' | 'stages'>): boolean {
  if (status === 'completed') return isOpenStage(stages.diarization) || stages.diarization.status === 'failed';
  return status !== 'canceled';
}
