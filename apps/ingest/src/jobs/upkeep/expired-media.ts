import type { MediaStore } from '@parlance/storage';
import { jobPrefix } from '../../media/intake/job-prefix.js';
import type { JobStore } from '../state/job-store.js';
import type { Job } from '../state/job.js';

/** Removes the media of jobs whose media retention is over. A crash between the steps is mended by the next round: each is idempotent. */
export class ExpiredMedia {
  constructor(
    private readonly jobs: JobStore,
    private readonly media: MediaStore,
  ) {}

  async erase({ id, accountId }: Job): Promise<void> {
    const job = await this.jobs.apply(id, { type: 'media_expired' });
    if (job?.mediaRemovedAt === undefined) return;
    await this.media.removePrefix(jobPrefix(accountId, id));
    await this.jobs.apply(id, { type: 'media_erased' });
  }
}
