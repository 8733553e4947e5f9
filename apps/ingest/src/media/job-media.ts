import { Inject, Injectable } from '@nestjs/common';
import { mediaKeys, type MediaKeys } from '@parlance/contracts';
import { MEDIA_STORE } from '@parlance/runtime';
import type { MediaStore } from '@parlance/storage';
import { JobStore } from '../jobs/state/job-store.js';
import { isOpenStage, isUnredacted, type Job } from '../jobs/state/job.js';
import { removePieces } from './live/live-pieces.js';

interface JobRef {
  accountId: string;
  jobId: string;
}

/** Removes the media that a job does not need any more. Every removal may be repeated. */
@Injectable()
export class JobMedia {
  constructor(
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
    @Inject(JobStore) private readonly jobs: Pick<JobStore, 'apply'>,
  ) {}

  /** Removes the recording and everything made of it, also the sealed result. @returns the number of removed objects */
  async removeWithResult(job: JobRef): Promise<number> {
    const result = await this.store.remove(mediaKeys(job.accountId, job.jobId).sealedResult);
    return (await this.removeAll(job)) + Number(result);
  }

  /** Removes the recording and everything made of it, but for the sealed result. @returns the number of removed objects */
  removeAll({ accountId, jobId }: JobRef): Promise<number> {
    return this.store.removePrefix(mediaKeys(accountId, jobId).all);
  }

  /** Only the redacted recording stays. */
  private async removeOriginal(keys: MediaKeys, { source }: Job): Promise<void> {
    const tracks = source.kind === 'upload' ? (source.tracks ?? 1) : 1;
    for (let track = 0; track < tracks; track += 1) await this.store.remove(keys.track(track));
  }

  /** Diarization that was ordered while the audio was being removed may have found it still there: it gets it decoded again. */
  private async removeAudio(keys: MediaKeys, { id, status, run, media }: Job): Promise<void> {
    let count = 0;
    for (const prefix of audioPrefixes(keys, media)) count += await this.store.removePrefix(prefix);
    if (count > 0 && status === 'completed') await this.jobs.apply(id, { type: 'audio_removed', inRun: run });
  }

  /** @param job undefined when it was deleted: then nothing of it stays */
  async removeUnneeded(ref: JobRef, job: Job | undefined): Promise<void> {
    if (!job) return void (await this.removeWithResult(ref));
    const keys = mediaKeys(ref.accountId, ref.jobId);
    if (isRedacted(job)) await this.removeOriginal(keys, job);
    // Audio of a redacted recording was decoded from it.
    const isNeeded = isRedacted(job) ? isOpenStage(job.stages.diarization) : needsAudio(job);
    if (!isNeeded) await this.removeAudio(keys, job);
    if (job.source.kind === 'live' && job.status === 'canceled') await removePieces(this.store, keys);
  }
}

/** Until the recording is decoded, both may be in use. */
function audioPrefixes(keys: MediaKeys, media: Job['media']): string[] {
  if (!media) return [keys.audioPrefix, keys.alwaysSealed.audioPrefix];
  return [media.sealed ? keys.alwaysSealed.audioPrefix : keys.audioPrefix];
}

const isRedacted = (job: Job): boolean => job.options.redaction?.audio !== undefined && job.options.redaction.keepOriginal !== true && !isUnredacted(job);

/**
 * Transcription and diarization read the decoded audio, and so does a retry of either. The source stays until the job is deleted
 * or its media retention is over.
 */
function needsAudio({ status, stages }: Pick<Job, 'status' | 'stages'>): boolean {
  if (status === 'completed') return isOpenStage(stages.diarization) || stages.diarization.status === 'failed';
  return status !== 'canceled';
}
