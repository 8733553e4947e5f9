import type { Job } from './job.js';
import { mediaRetentionHours } from './media-retention.js';

/** By when the last try of a webhook has failed, each put off by a day as a receiver may ask. webhook.settled comes before, as a rule. */
const WEBHOOK_HOURS = 240;

/** Sets when a job that has ended, and its media, are erased: by its options, from its end on. */
export function expire(job: Job): void {
  const { completedAt } = job;
  if (completedAt === undefined) return;
  setTime(job, 'expiresAt', completedAt, retentionHours(job));
  if (job.mediaRemovedAt === undefined) setTime(job, 'mediaExpiresAt', completedAt, mediaRetentionHours(job));
}

function setTime(job: Job, field: 'expiresAt' | 'mediaExpiresAt', from: string, hours: number | undefined): void {
  if (hours === undefined) delete job[field];
  else job[field] = new Date(Date.parse(from) + hours * 3_600_000).toISOString();
}

/** Zero means once the terminal webhook is settled, at any receiver; the account may have endpoints of its own. */
const retentionHours = ({ options }: Job): number | undefined => (options.retentionHours === 0 ? WEBHOOK_HOURS : options.retentionHours);
