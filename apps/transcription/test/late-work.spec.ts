import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { common, EVENTS, type EventData, type EventType } from '@parlance/contracts';
import { FixtureRecognizer, type SpeechRecognizer } from '@parlance/engines';
import type { Delivery } from '@parlance/event-bus';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase, type MediaStore } from '@parlance/storage';
import { openTaskQueue, type Task, type TaskQueue } from '@parlance/task-queue';
import { segmentWords } from '@parlance/transcript';
import { CHUNKS } from '../src/chunks/chunk-checkpoint.js';
import { chunkTask, type ChunkTask } from '../src/chunks/chunk-task.js';
import { PAGES, TRANSCRIPTS } from '../src/transcript/transcript-documents.js';
import { audioOf, planOf, recordingOf } from './recording.js';
import { transcriptionProcess } from './transcription-process.js';

const JOB = { jobId: 'job_1', accountId: 'acc_1' };
const PLAN_KEY = 'acc_1/job_1/plan.json';
const plan = planOf('job_1', 'acc_1/job_1', 10, 10);

/** A delivery as the bus makes it. */
const delivery = <K extends EventType>(type: K, data: EventData<K>): Delivery<K> => {
  const key = (EVENTS[type].key as (data: EventData<K>) => string)(data);
  const event = { id: 'evt_1', type, source: 'test', time: '2026-01-01T00:00:00.000Z', key, data };
  return { event, attempt: 1, maxAttempts: 3, signal: new AbortController().signal, draining: new AbortController().signal };
};

const chunk: ChunkTask = { ...JOB, run: 1, index: 0, total: 1, planKey: PLAN_KEY };
/** As the task queue leases it. */
const leased: Task<ChunkTask> = { ...chunkTask(chunk), group: 'job_1/1', attempt: 1, enqueuedAt: new Date(), fencingToken: 1 };
const context = { signal: new AbortController().signal };
const mediaReady = delivery('media.ready', { ...JOB, run: 1, planKey: PLAN_KEY, audioPrefix: 'acc_1/job_1/audio/', chunksTotal: 1 });
const jobDeleted = delivery('job.deleted', {
  ...JOB,
  sequence: 0,
  status: common.JobStatus.JOB_STATUS_CANCELED,
  stage: common.Stage.STAGE_UNSPECIFIED,
  metadata: {},
  version: 1,
  warnings: [],
  erasureId: 'era_1',
  billed: false,
});

describe('late work', () => {
  let folder: string;
  let documents: DocumentDatabase;
  let media: MediaStore;
  let tasks: TaskQueue;
  let apps: AsyncDisposableStack;

  beforeEach(async () => {
    apps = new AsyncDisposableStack();
    folder = await mkdtemp(join(tmpdir(), 'parlance-late-work-'));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'transcription.db')}`, {
      clock: systemClock,
      ids: ulidGenerator(),
      source: 'transcription',
    });
    tasks = await openTaskQueue(`sqlite:${join(folder, 'tasks.db')}`, { clock: systemClock, log: silentLogger() });
    media = await openMediaStore(`file:${join(folder, 'media')}`);
    await media.put(plan.chunks[0]!.audioKey, one(audioOf(recordingOf(10), plan.chunks[0]!)));
    await media.put(PLAN_KEY, one(new TextEncoder().encode(JSON.stringify(plan))));
  });

  afterEach(async () => {
    await apps.disposeAsync();
    await tasks.close();
    await documents.close();
    await rm(folder, { recursive: true });
  });

  const aProcess = async (recognizer?: SpeechRecognizer) => {
    const process = await transcriptionProcess({ documents, media, tasks, folder }, recognizer);
    apps.defer(process.close);
    return process;
  };

  const held = async (): Promise<number> => {
    const counts = await Promise.all([CHUNKS, PAGES].map((definition) => documents.collection<{ id: string; createdAt: string }>({ name: definition.name, indexes: definition.indexes }).count({ jobId: 'job_1' })));
    const header = await documents.collection(TRANSCRIPTS).get('job_1');
    return counts.reduce((sum, count) => sum + count, header ? 1 : 0);
  };

  it('of a chunk whose job another process erases meanwhile leaves nothing', async () => {
    const other = await aProcess();
    const engine = new FixtureRecognizer();
    const recognizer: SpeechRecognizer = {
      info: engine.info,
      check: () => engine.check(),
      recognize: async (request) => {
        await other.erasure.erase(jobDeleted.event.data);
        return engine.recognize(request);
      },
      close: () => engine.close(),
    };
    await (await aProcess(recognizer)).chunkTasks.perform(leased, context);
    expect(await held()).toBe(0);
  });

  it('that a killed process left is removed when its event is delivered again', async () => {
    const { chunkTasks, jobEvents, erasure, transcripts, checkpoints, merger } = await aProcess();
    await jobEvents.mediaReady(mediaReady);
    await chunkTasks.perform(leased, context);
    const checkpoint = (await checkpoints.get('job_1', 0))!;
    await erasure.erase(jobDeleted.event.data);
    await checkpoints.save(chunk, plan.chunks[0]!, checkpoint);
    await transcripts.writePages('job_1', segmentWords(checkpoint.words), { accountId: 'acc_1', planRun: 1 });
    expect(await held()).toBeGreaterThan(1);
    await chunkTasks.perform(leased, context);
    await merger.mergeWhenComplete({ ...JOB, run: 1 });
    expect(await held()).toBe(0);
  });

  it('of who gave words their speakers while the job was erased is removed when the event is delivered again', async () => {
    const { erasure, transcripts, speakers } = await aProcess();
    await erasure.erase(jobDeleted.event.data);
    await transcripts.writePages('job_1', segmentWords([{ start: 0, end: 1, text: 'secret', confidence: 1 }]), { accountId: 'acc_1', planRun: 1 });
    await speakers.turnsReady({ ...JOB, run: 1, turnsKey: 'acc_1/job_1/speakers/1.json', speakerCount: 1, turnCount: 1, engine: 'fixture', warnings: [] });
    expect(await held()).toBe(0);
  });

  it('of an interrupted merge is not seen, and written over by the next, by two processes at once too', async () => {
    const { chunkTasks, jobEvents, transcripts, merger } = await aProcess();
    await transcripts.writePages('job_1', segmentWords([{ start: 0, end: 1, text: 'half', confidence: 1 }]), { accountId: 'acc_1', planRun: 1 });
    expect(await transcripts.get('job_1')).toBeUndefined();
    await jobEvents.mediaReady(mediaReady);
    await chunkTasks.perform(leased, context);
    const other = await aProcess();
    await Promise.all([merger.mergeWhenComplete({ ...JOB, run: 1 }), other.merger.mergeWhenComplete({ ...JOB, run: 1 })]);

    const transcript = (await transcripts.get('job_1'))!;
    const words: string[] = [];
    for await (const segment of transcripts.readSegments(transcript)) words.push(...segment.words.map(({ text }) => text));
    expect(words).not.toContain('half');
    expect(words).toHaveLength(transcript.wordCount);
    const events = (await documents.outbox.pending(100)).flatMap((pending) => pending.events.map(({ type }) => type));
    expect(events.filter((type) => type === 'transcript.completed')).toHaveLength(1);
  });
});

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
