import type { ServiceContext } from '@parlance/runtime';
import { makeApplication } from '@parlance/runtime/process';
import { silentLogger, type Clock, type ConfigOf, type Metrics } from '@parlance/platform';
import type { Consumer } from '@parlance/event-bus';
import type { DocumentDatabase, MediaStore } from '@parlance/storage';
import type { TaskQueue, TaskWorker } from '@parlance/task-queue';
import type { ingestConfig } from '../src/ingest.config.js';
import { IngestConsumers } from '../src/ingest.consumers.js';
import { IngestModule } from '../src/ingest.module.js';
import { ErasureStore } from '../src/jobs/erasure/erasure-store.js';
import { JobRequests } from '../src/jobs/job-requests.js';
import { Upkeep } from '../src/jobs/upkeep/upkeep.js';
import { EngineLimit } from '../src/media/intake/engine-limit.js';
import { FreeTime } from '../src/media/intake/free-time.js';
import { MediaIntake } from '../src/media/intake/media-intake.js';
import { manifest } from '../src/service.js';

interface IngestParts {
  config: ConfigOf<typeof ingestConfig>;
  documents: DocumentDatabase;
  media: MediaStore;
  tasks: TaskQueue;
  clock: Clock;
  metrics: Metrics;
  scratchFolder: string;
  intake: Pick<MediaIntake, 'fetch' | 'prepare'>;
  /** Default: transcription does not answer. */
  engineLimit?: Pick<EngineLimit, 'requireEngine' | 'find'>;
}

export interface IngestUnderTest {
  requests: JobRequests;
  erasures: ErasureStore;
  upkeep: Upkeep;
  consumers: Consumer[];
  workers: TaskWorker[];
  close(): Promise<void>;
}

/** The module of the service, not started: a test delivers the events and runs the upkeep itself. Every account has free time. */
export async function ingestApplication({ intake, config, engineLimit = { requireEngine: async () => {}, find: async () => undefined }, ...parts }: IngestParts): Promise<IngestUnderTest> {
  const connect = () => ({});
  const context = { name: 'ingest', ...parts, config: { ...config, PARLANCE_DATA: parts.scratchFolder }, log: silentLogger(), bus: { erase: async () => {} }, connect, afterUncleanStop: false };
  const providers = [
    { provide: MediaIntake, useValue: intake },
    { provide: EngineLimit, useValue: engineLimit },
    { provide: FreeTime, useValue: { reserve: async () => {} } },
  ];
  const app = await makeApplication({ ...manifest, module: () => ({ module: IngestModule, providers }) }, context as unknown as ServiceContext, false);
  const events = app.get(IngestConsumers);
  return {
    requests: app.get(JobRequests),
    erasures: app.get(ErasureStore),
    upkeep: app.get(Upkeep),
    consumers: events.consumers(),
    workers: events.workers(),
    close: () => app.close(),
  };
}
