import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { common, EVENTS, type EventData, type EventType } from '@parlance/contracts';
import { FixtureRecognizer, type SpeechRecognizer } from '@parlance/engines';
import type { Delivery } from '@parlance/event-bus';
import { createMetrics, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase, type MediaStore } from '@parlance/storage';
import { segmentWords } from '@parlance/transcript';
import { CHUNKS } from '../src/chunks/chunk-checkpoint.js';
import { PAGES, TRANSCRIPTS } from '../src/transcript/transcript-documents.js';
import { createParts, type TranscriptionParts } from '../src/transcription-parts.js';
import { audioOf, planOf, recordingOf } from './recording.js';

const JOB = { jobId: 'job_1', accountId: 'acc_1' };
const PLAN_KEY = 'acc_1/job_1/plan.json';
const plan = planOf('job_1', 'acc_1/job_1', 10, 10);

/** A delivery as the bus makes it. */
const delivery = <K extends EventType>(type: K, data: EventData<K>): Delivery<K> => {
  const key = (EVENTS[type].key as (data: EventData<K>) => string)(data);
  const event = { id: 'evt_1', type, source: 'test', time: '2026-01-01T00:00:00.000Z', key, data };
  return { event, attempt: 1, maxAttempts: 3, signal: new AbortController().signal, draining: new AbortController().signal };
};

const chunkRequested = delivery('chunk.requested', { ...JOB, run: 1, index: 0, total: 1, planKey: PLAN_KEY });
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

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-late-work-'));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'transcription.db')}`, {
      clock: systemClock,
      ids: ulidGenerator(),
      source: 'transcription',
    });
    media = await openMediaStore(`file:${join(folder, 'media')}`);
    await media.put(plan.chunks[0]!.audioKey, one(audioOf(recordingOf(10), plan.chunks[0]!)));
    await media.put(PLAN_KEY, one(new TextEncoder().encode(JSON.stringify(plan))));
  });

  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  /** The service as one of several processes on the same stores. */
  const aProcess = (recognizer?: SpeechRecognizer): TranscriptionParts => {
    const config = { SPEECH_ENGINE_URL: 'fixture:', SPEECH_ENGINE_API_KEY: undefined, CHUNK_CONCURRENCY: 1, CHUNK_TIMEOUT_SECONDS: 10, CHUNK_MAX_ATTEMPTS: 3, DOCUMENT_CONCURRENCY: 1, DOCUMENT_WAIT_SECONDS: 1, DOCUMENT_SPOOL_MAX_BYTES: 1 };
    return createParts({ config, documents, media, clock: systemClock, log: silentLogger(), metrics: createMetrics(), scratchFolder: folder, modelsFolder: folder }, recognizer);
  };

  const held = async (): Promise<number> => {
    const counts = await Promise.all([CHUNKS, PAGES].map((definition) => documents.collection<{ id: string; createdAt: string }>({ name: definition.name, indexes: definition.indexes }).count({ jobId: 'job_1' })));
    const header = await documents.collection(TRANSCRIPTS).get('job_1');
    return counts.reduce((sum, count) => sum + count, header ? 1 : 0);
  };

  it('of a chunk whose job another process erases meanwhile leaves nothing', async () => {
    const other = aProcess();
    const engine = new FixtureRecognizer();
    const recognizer: SpeechRecognizer = {
      info: engine.info,
      check: () => engine.check(),
      recognize: async (request) => {
        await other.jobEvents.deleted(jobDeleted);
        return engine.recognize(request);
      },
      close: () => engine.close(),
    };
    await aProcess(recognizer).chunkTasks.handle(chunkRequested);
    expect(await held()).toBe(0);
  });

  it('that a killed process left is removed when its event is delivered again', async () => {
    const { chunkTasks, jobEvents, transcripts, checkpoints, merger } = aProcess();
    await jobEvents.mediaReady(mediaReady);
    await chunkTasks.handle(chunkRequested);
    const checkpoint = (await checkpoints.get('job_1', 0))!;
    await jobEvents.deleted(jobDeleted);
    await checkpoints.save(chunkRequested.event.data, plan.chunks[0]!, checkpoint);
    await transcripts.writePages('job_1', segmentWords(checkpoint.words), []);
    expect(await held()).toBeGreaterThan(1);
    await chunkTasks.handle(chunkRequested);
    await merger.mergeWhenComplete({ ...JOB, run: 1 });
    expect(await held()).toBe(0);
  });

  it('of who gave words their speakers while the job was erased is removed when the event is delivered again', async () => {
    const { jobEvents, transcripts, speakers } = aProcess();
    await jobEvents.deleted(jobDeleted);
    await transcripts.writePages('job_1', segmentWords([{ start: 0, end: 1, text: 'secret', confidence: 1 }]), []);
    await speakers.turnsReady({ ...JOB, run: 1, turnsKey: 'acc_1/job_1/speakers/1.json', speakerCount: 1, turnCount: 1, engine: 'fixture', warnings: [] });
    expect(await held()).toBe(0);
  });

  it('of an interrupted merge is not seen, and written over by the next, by two processes at once too', async () => {
    const { chunkTasks, jobEvents, transcripts, merger } = aProcess();
    await transcripts.writePages('job_1', segmentWords([{ start: 0, end: 1, text: 'half', confidence: 1 }]), []);
    expect(await transcripts.get('job_1')).toBeUndefined();
    await jobEvents.mediaReady(mediaReady);
    await chunkTasks.handle(chunkRequested);
    await Promise.all([merger.mergeWhenComplete({ ...JOB, run: 1 }), aProcess().merger.mergeWhenComplete({ ...JOB, run: 1 })]);

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
