import type { EventType } from '@parlance/contracts';
import type { OutboxEvent } from '@parlance/event-bus';
import type { JobStages } from '../job-stages.js';
import type { JobRef, JobRun, StageDefinition } from '../stage.js';
import type { EngineGate } from './engine-gate.js';

/** A stage with its service's parts, on one database. */
export interface StageUnderTest {
  stages: Pick<JobStages, 'consumers' | 'workers'> & { ledger: Pick<JobStages['ledger'], 'isErased' | 'begin'> };
  definition: Pick<StageDefinition, 'name' | 'stage' | 'retry' | 'startsOn' | 'perform'>;
  engine: EngineGate;
  /** Makes the input of the stage ready. @returns the event that says so */
  startEvent(run: JobRun): Promise<Pick<OutboxEvent, 'type' | 'data'>>;
  /** The event that a completed run ends with. Default `stage.finished`. */
  completedBy?: EventType;
  /** How much the service holds of the job. */
  count(job: JobRef): Promise<number>;
  close?(): Promise<void>;
}
