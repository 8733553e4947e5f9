import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EventData, EventType } from '@parlance/contracts';
import { engineFailed, FixtureRecognizer, type SpeechRecognizer } from '@parlance/engines';
import { AppError, systemClock } from '@parlance/platform';
import { storesOnSqlite, type StageStores } from '@parlance/stage/contract';
import { openMediaStore, type MediaStore } from '@parlance/storage';
import { chunkTask, type ChunkTask } from '../src/chunks/chunk-task.js';
import { audioOf, planOf, recordingOf } from './recording.js';
import { transcriptionProcess } from './transcription-process.js';

const PLAN_KEY = 'acc_1/job_1/plan.json';
const chunkOfRun = (run: number): ChunkTask => ({ jobId: 'job_1', accountId: 'acc_1', run, index: 0, total: 1, planKey: PLAN_KEY });

describe('the last failed attempt at a chunk', () => {
  let stores: StageStores;
  let media: MediaStore;
  let opened: AsyncDisposableStack;
  let process: Awaited<ReturnType<typeof transcriptionProcess>>;
  let isEngineBroken: boolean;

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    stores = await storesOnSqlite();
    opened.defer(() => stores.close());
    media = await openMediaStore(`file:${join(stores.folder, 'media')}`);
    isEngineBroken = false;
    process = await transcriptionProcess({ ...stores, media }, breakable(() => isEngineBroken));
    opened.defer(process.close);
  });
  afterEach(() => opened.disposeAsync());

  /** Stores the plan of a run, with one chunk. */
  const plan = async (seconds: number) => {
    const planned = planOf('job_1', 'acc_1/job_1', seconds, seconds);
    for (const chunk of planned.chunks) await media.put(chunk.audioKey, one(audioOf(recordingOf(seconds), chunk)));
    await media.put(PLAN_KEY, one(new TextEncoder().encode(JSON.stringify(planned))));
  };
  const mediaReady = async (run: number) => {
    const data: EventData<'media.ready'> = { jobId: 'job_1', accountId: 'acc_1', run, planKey: PLAN_KEY, audioPrefix: 'acc_1/job_1/audio/', chunksTotal: 1 };
    await process.jobEvents.mediaReady({ event: { data } } as never);
  };
  const perform = (run: number) =>
    process.chunkTasks.perform({ ...chunkTask(chunkOfRun(run)), group: `job_1/${run}`, attempt: 1, enqueuedAt: systemClock.now(), fencingToken: 1 }, { signal: new AbortController().signal });
  const published = async (type: EventType) =>
    (await stores.documents.outbox.pending(100)).flatMap((pending) => pending.events.filter((event) => event.type === type).map(({ data }) => (data as { run: number }).run));

  it('is reported although an earlier run transcribed the chunk by another plan, and again when ingest asks', async () => {
    await plan(10);
    await mediaReady(1);
    await perform(1);
    await plan(4);
    await mediaReady(2);
    isEngineBroken = true;
    const error: unknown = await perform(2).catch((thrown: unknown) => thrown);
    await process.chunkTasks.giveUp(chunkOfRun(2), error);
    expect(await published('chunk.failed')).toEqual([2]);
    await mediaReady(2);
    expect(await published('chunk.failed')).toEqual([2, 2]);
  });

  it('is no failure when an earlier run transcribed the chunk by the same plan', async () => {
    await plan(10);
    await mediaReady(1);
    await perform(1);
    await mediaReady(2);
    expect(await process.chunkTasks.giveUp(chunkOfRun(2), new Error('the database was away'))).toBe('settled');
    expect(await published('chunk.failed')).toEqual([]);
    expect(await published('chunk.transcribed')).toEqual([1, 2]);
    expect((await process.checkpoints.get('job_1', 0))?.run).toBe(2);
  });

  it('leaves the checkpoint of an earlier run while the media store is away, and is tried again', async () => {
    await plan(10);
    await mediaReady(1);
    await perform(1);
    // This process has not read the plan of the second run.
    const away = new AppError({ kind: 'unavailable', code: 'media_store_unavailable', message: 'The media store cannot be used now.' });
    const read = jest.spyOn(media, 'get').mockImplementation(() => {
      throw away;
    });
    await expect(process.chunkTasks.giveUp(chunkOfRun(2), away)).rejects.toMatchObject({ code: 'media_store_unavailable', retryable: true });
    expect(await published('chunk.failed')).toEqual([]);
    read.mockRestore();
    expect(await process.chunkTasks.giveUp(chunkOfRun(2), away)).toBe('settled');
    expect(await published('chunk.transcribed')).toEqual([1, 2]);
  });

  it('is reported when the plan cannot be read', async () => {
    await plan(10);
    await mediaReady(1);
    await perform(1);
    await media.remove(PLAN_KEY);
    await process.chunkTasks.giveUp(chunkOfRun(2), new Error('no such object'));
    expect(await published('chunk.failed')).toEqual([2]);
  });
});

function breakable(isBroken: () => boolean): SpeechRecognizer {
  const engine = new FixtureRecognizer();
  return {
    info: engine.info,
    check: () => engine.check(),
    close: () => engine.close(),
    recognize: async (request) => {
      if (isBroken()) throw engineFailed('The engine is broken.', { retryable: false });
      return engine.recognize(request);
    },
  };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
