import type { Consumer } from '@parlance/event-bus';
import type { Clock, Logger } from '@parlance/platform';
import type { TaskQueue, TaskWorker } from '@parlance/task-queue';
import { JobCancellation } from './job-cancellation.js';
import { JobEnds } from './job-ends.js';
import { JobErasure, type Holdings } from './job-erasure.js';
import { stageConsumers } from './stage-consumers.js';
import type { StageLedger } from './stage-ledger.js';
import { StageRunner } from './stage-runner.js';
import type { StageDefinition } from './stage.js';

interface JobStagesParts<Facts extends object> {
  /** Group of the consumers. */
  group: string;
  ledger: StageLedger<Facts>;
  stages: readonly StageDefinition<Facts>[];
  holdings: Holdings;
  tasks: TaskQueue;
  clock: Clock;
  log: Logger;
}

/** The stages of one service, with all that they have in common. */
export class JobStages<Facts extends object = object> {
  readonly ledger: StageLedger<Facts>;
  readonly erasure: JobErasure;
  readonly cancellation: JobCancellation;
  readonly definitions: readonly StageDefinition<Facts>[];

  constructor(private readonly parts: JobStagesParts<Facts>) {
    const { ledger, tasks, stages, holdings, clock } = parts;
    this.ledger = ledger;
    this.definitions = stages;
    this.cancellation = new JobCancellation({ ledger, tasks, queues: stages.map(({ name }) => name) });
    this.erasure = new JobErasure({ ledger, cancellation: this.cancellation, holdings, tasks, clock });
  }

  /** @param handlers of the service's other events; `deadlineMs` is that of each event */
  consumers(handlers: Consumer['handlers'] = {}, deadlineMs?: number): Consumer[] {
    const ends = new JobEnds(this.cancellation, this.erasure);
    return stageConsumers({ ...this.parts, ends, handlers, ...(deadlineMs !== undefined && { deadlineMs }) });
  }

  workers(): TaskWorker[] {
    const { ledger, erasure } = this;
    const { log, stages } = this.parts;
    return [...stages.map((stage) => new StageRunner(stage, { ledger, erasure, log }).worker() as TaskWorker), ...erasure.workers()];
  }
}
