import { Inject, Injectable } from '@nestjs/common';
import { mediaKeys } from '@parlance/contracts';
import { AppError, notFound } from '@parlance/platform';
import { MEDIA_STORE } from '@parlance/runtime';
import type { MediaStore } from '@parlance/storage';
import { storePieceList } from '../media/live/live-pieces.js';
import { JobRequests } from './job-requests.js';
import { LiveAudio } from './live-audio.js';
import { JobStore } from './state/job-store.js';
import { isLiveOpen, type Job } from './state/job.js';
import type { LiveGap } from './state/live-gaps.js';

/** The end of a live session. */
export interface LiveEnd {
  /** Keys of the pieces of its recording, in order. */
  pieces: readonly string[];
  gaps: readonly LiveGap[];
  /** Empty: none were recognized. */
  finalsKey: string;
}

/** The requests of the gateway about the jobs of live sessions. */
@Injectable()
export class LiveRequests {
  constructor(
    @Inject(JobRequests) private readonly requests: Pick<JobRequests, 'get'>,
    @Inject(JobStore) private readonly jobs: Pick<JobStore, 'apply'>,
    @Inject(MEDIA_STORE) private readonly media: Pick<MediaStore, 'put'>,
    @Inject(LiveAudio) private readonly audio: Pick<LiveAudio, 'note'>,
  ) {}

  /** Idempotent: a finished session stays as it is. @throws AppError not_found, invalid_request for another job; invalid_state when it was canceled before */
  async finish(accountId: string, jobId: string, { pieces, gaps, finalsKey }: LiveEnd): Promise<Job> {
    const job = await this.requests.get(accountId, jobId);
    if (job.source.kind !== 'live') throw new AppError({ kind: 'invalid', code: 'invalid_request', message: 'The job is not one of a live session.' });
    // It has been recognized, also when the job is canceled before its recording is decoded.
    await this.audio.note(job);
    // The list comes first, because a worker may join the pieces as soon as the session is finished.
    if (isLiveOpen(job) && pieces.length > 0) await storePieceList(this.media, mediaKeys(accountId, jobId), pieces);
    const finished = await this.jobs.apply(jobId, { type: 'live_finished', pieces: pieces.length, gaps, finalsKey });
    if (!finished) throw notFound('The job');
    return finished;
  }
}
