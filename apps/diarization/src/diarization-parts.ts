import { diarizerFromUrl, type SpeakerDiarizer } from '@parlance/engines';
import type { Logger } from '@parlance/platform';
import { JobErasures, RunningTasks, type ServiceContext } from '@parlance/runtime';
import type { diarizationConfig } from './diarization-config.js';
import { JobEvents } from './jobs/job-events.js';
import { JobLedger } from './jobs/job-ledger.js';
import { JOBS } from './jobs/job-record.js';
import { SpeakerMetrics } from './speakers/speaker-metrics.js';
import { SpeakerResults } from './speakers/speaker-results.js';
import { SpeakerTask } from './speakers/speaker-task.js';

export type DiarizationContext = Pick<ServiceContext<typeof diarizationConfig>, 'name' | 'config' | 'documents' | 'media' | 'clock' | 'log' | 'metrics' | 'modelsFolder'>;

/** The service's parts, put together. */
export interface DiarizationParts {
  config: DiarizationContext['config'];
  diarizer: SpeakerDiarizer;
  task: SpeakerTask;
  jobEvents: JobEvents;
  log: Logger;
}

/** @throws ConfigError when the engine's URL is wrong. */
export function createParts(context: DiarizationContext, diarizer = diarizerFromUrl(context.config.DIARIZATION_ENGINE_URL, context)): DiarizationParts {
  const { name, config, documents, media, clock, log } = context;
  const ledger = new JobLedger(documents.collection(JOBS), clock);
  const running = new RunningTasks();
  const results = new SpeakerResults(media);
  const erasures = new JobErasures(name, documents, holdings(ledger, results), clock);
  const metrics = new SpeakerMetrics(context.metrics);
  const timeoutMs = config.DIARIZATION_TIMEOUT_MINUTES * 60_000;
  const task = new SpeakerTask({ ledger, running, erasures, results, diarizer, media, metrics, clock, log, timeoutMs });
  return { config, diarizer, task, jobEvents: new JobEvents({ ledger, running, erasures, task }), log };
}

/** The record goes last: it says whose the objects are. */
const holdings = (ledger: JobLedger, results: SpeakerResults) => ({
  what: 'speakers',
  count: async (jobId: string) => {
    const record = await ledger.get(jobId);
    return record ? results.count({ jobId, accountId: record.accountId }) : 0;
  },
  remove: async (jobId: string) => {
    const record = await ledger.get(jobId);
    if (record) await results.remove({ jobId, accountId: record.accountId });
    await ledger.remove(jobId);
  },
});
