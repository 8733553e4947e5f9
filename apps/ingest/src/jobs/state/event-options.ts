import type { common } from '@parlance/contracts';
import type { Job } from './job.js';

/** The options of a job as events have them: without the names of speakers, which are personal data. The chunk plan has those. */
export function eventOptions({ options }: Pick<Job, 'options'>): common.JobOptions {
  const { channels } = options;
  return channels ? { ...options, channels: { ...channels, names: [] } } : options;
}
