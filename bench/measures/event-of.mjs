import { ulidGenerator } from '@parlance/platform';

const ids = ulidGenerator();

/** One of a hundred jobs'. */
export const eventOf = (index) => ({
  id: ids.next('evt'),
  type: 'chunk.transcribed',
  source: 'bench',
  time: new Date().toISOString(),
  key: `job_${index % 100}`,
  data: { jobId: `job_${index % 100}`, accountId: 'acc_1', run: 1, index, total: 100, processingSeconds: 1, audioSeconds: 30, planKey: 'p', warnings: [] },
});
