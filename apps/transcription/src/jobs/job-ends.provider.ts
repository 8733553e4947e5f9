import type { Provider } from '@nestjs/common';
import { SpeechEngines } from '@parlance/engines';
import type { Clock } from '@parlance/platform';
import { CLOCK, TASK_QUEUE } from '@parlance/runtime';
import { JobCancellation, JobEnds, JobErasure } from '@parlance/stage';
import type { TaskQueue } from '@parlance/task-queue';
import { chunkQueue } from '../chunks/chunk-task.js';
import { JobLedger } from './job-ledger.js';
import { TranscriptHoldings } from './transcript-holdings.js';

/** Handles jobs that are canceled, fail or are deleted, with the records and tasks of this service. */
export const jobEnds: Provider[] = [
  {
    provide: JobCancellation,
    useFactory: (ledger: JobLedger, tasks: TaskQueue, engines: SpeechEngines) => new JobCancellation({ ledger, tasks, queues: engines.all().map(({ model }) => chunkQueue(model)) }),
    inject: [JobLedger, TASK_QUEUE, SpeechEngines],
  },
  {
    provide: JobErasure,
    useFactory: (ledger: JobLedger, cancellation: JobCancellation, holdings: TranscriptHoldings, tasks: TaskQueue, clock: Clock) => new JobErasure({ ledger, cancellation, holdings, tasks, clock }),
    inject: [JobLedger, JobCancellation, TranscriptHoldings, TASK_QUEUE, CLOCK],
  },
  { provide: JobEnds, useFactory: (cancellation: JobCancellation, erasure: JobErasure) => new JobEnds(cancellation, erasure), inject: [JobCancellation, JobErasure] },
];
