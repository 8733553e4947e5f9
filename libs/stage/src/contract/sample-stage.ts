import { common, events } from '@parlance/contracts';
import { silentLogger, systemClock } from '@parlance/platform';
import type { CollectionDefinition, Document } from '@parlance/storage';
import { defineStage, JobStages, runOf, StageLedger, type StageRecord } from '../index.js';
import { EngineGate } from './engine-gate.js';
import type { StageStores } from './stage-stores.js';
import type { StageUnderTest } from './stage-under-test.js';

interface SampleFacts {
  notes: number;
}

interface Note extends Document {
  jobId: string;
}

const JOBS: CollectionDefinition<StageRecord<SampleFacts>> = { name: 'sample_jobs', indexes: [] };

/** A stage that writes a note about each run of a job. */
export async function sampleStage({ documents, tasks }: StageStores): Promise<StageUnderTest> {
  const engine = new EngineGate();
  const notes = documents.collection<Note>({ name: 'notes', indexes: [{ fields: ['jobId'] }] });
  const definition = defineStage<SampleFacts>({
    name: 'sample',
    stage: common.Stage.STAGE_SEARCH,
    startsOn: { 'transcript.completed': runOf, 'stage.requested': runOf },
    async perform(run, { signal }) {
      await engine.pass(run.jobId, signal);
      const id = `${run.jobId}/${run.run}`;
      await notes.update(id, () => ({ document: { id, jobId: run.jobId, createdAt: new Date(0).toISOString() } }));
      return { facts: { notes: 1 } };
    },
    deadlineMs: 60_000,
    retry: { maxAttempts: 3, initialDelayMs: 10, maxDelayMs: 20 },
    capacity: 2,
  });
  const stages = new JobStages<SampleFacts>({
    group: 'sample',
    ledger: new StageLedger<SampleFacts>(documents, JOBS, systemClock),
    stages: [definition],
    holdings: { what: 'notes', where: 'sample', count: ({ jobId }) => notes.count({ jobId }), remove: async ({ jobId }) => void (await notes.removeWhere({ jobId })) },
    tasks,
    clock: systemClock,
    log: silentLogger(),
  });
  return {
    stages,
    definition,
    engine,
    startEvent: async (run) => ({ type: 'transcript.completed', data: events.TranscriptCompleted.fromPartial(run) }),
    count: ({ jobId }) => notes.count({ jobId }),
  };
}
