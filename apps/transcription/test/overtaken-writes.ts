import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { events, type EventData } from '@parlance/contracts';
import { systemClock } from '@parlance/platform';
import type { StageStores } from '@parlance/stage/contract';
import { openMediaStore, type CollectionDefinition, type Document, type DocumentDatabase, type MediaStore } from '@parlance/storage';
import type { Segment, SpeakerTurn } from '@parlance/transcript';
import { chunkTask } from '../src/chunks/chunk-task.js';
import { PAGES } from '../src/transcript/transcript-documents.js';
import { audioOf, planOf, recordingOf } from './recording.js';
import { transcriptionProcess } from './transcription-process.js';

const JOB = { jobId: 'job_1', accountId: 'acc_1' };
const PLAN_KEY = 'acc_1/job_1/plan.json';
const plan = planOf('job_1', 'acc_1/job_1', 10, 10);
const turnsOf = (...speakerIds: string[]): SpeakerTurn[] => speakerIds.map((speakerId, index) => ({ start: (index * 10) / speakerIds.length, end: ((index + 1) * 10) / speakerIds.length, speakerId }));

/** A writer of transcript pages that stops before its first page until it is released. */
class PausedWriter {
  private readonly reachedPages = Promise.withResolvers<void>();
  private readonly released = Promise.withResolvers<void>();
  /** Resolves when the writer is about to write its first page. */
  readonly isPaused = this.reachedPages.promise;

  release(): void {
    this.released.resolve();
  }

  /** The database as this writer uses it. */
  documents(documents: DocumentDatabase): DocumentDatabase {
    const beforePage = async () => {
      this.reachedPages.resolve();
      await this.released.promise;
    };
    return new Proxy(documents, {
      get: (target, property) => {
        if (property === 'collection') return <T extends Document>(definition: CollectionDefinition<T>) => pausing(target.collection(definition), definition.name === PAGES.name ? beforePage : undefined);
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}

function pausing<T extends object>(collection: T, before: (() => Promise<void>) | undefined): T {
  if (!before) return collection;
  return new Proxy(collection, {
    get: (target, property) => {
      const value = Reflect.get(target, property, target) as (...args: unknown[]) => Promise<unknown>;
      if (property !== 'update') return value.bind(target);
      return async (...args: unknown[]) => {
        await before();
        return value.apply(target, args);
      };
    },
  });
}

/** What a process that was overtaken, such as one that was suspended for a minute, must not do to the pages of a transcript. */
export function describeOvertakenWrites(name: string, openStores: () => Promise<StageStores>): void {
  describe(name, () => {
    let stores: StageStores;
    let media: MediaStore;
    let opened: AsyncDisposableStack;

    beforeEach(async () => {
      opened = new AsyncDisposableStack();
      stores = await openStores();
      opened.defer(() => stores.close());
      media = await openMediaStore(`file:${join(stores.folder, 'media')}`);
      for (const { audioKey } of plan.chunks) await media.put(audioKey, one(audioOf(recordingOf(10), { start: 0, end: 10 })));
      await put(PLAN_KEY, plan);
    });
    afterEach(() => opened.disposeAsync());

    const put = (key: string, content: unknown) => media.put(key, one(new TextEncoder().encode(JSON.stringify(content))));
    const aProcess = async (writer?: PausedWriter) => {
      const documents = writer?.documents(stores.documents) ?? stores.documents;
      const process = await transcriptionProcess({ ...stores, documents, media });
      opened.defer(process.close);
      return process;
    };
    type Process = Awaited<ReturnType<typeof aProcess>>;

    /** Transcribes the job as far as its merge. */
    const transcribe = async ({ jobEvents, chunkTasks }: Process, run = 1) => {
      const data: EventData<'media.ready'> = { ...JOB, run, planKey: PLAN_KEY, audioPrefix: 'acc_1/job_1/audio/', chunksTotal: 1 };
      await jobEvents.mediaReady({ event: { data } } as never);
      const task = chunkTask({ ...JOB, run, index: 0, total: 1, planKey: PLAN_KEY });
      await chunkTasks.perform({ ...task, group: 'job_1/1', attempt: 1, enqueuedAt: systemClock.now(), fencingToken: 1 }, { signal: new AbortController().signal });
    };
    const turnsReady = async ({ speakers }: Process, run: number, turns: SpeakerTurn[]) => {
      const turnsKey = `acc_1/job_1/speakers/${run}.json`;
      await put(turnsKey, { jobId: JOB.jobId, turns });
      await speakers.turnsReady(events.DiarizationCompleted.fromPartial({ ...JOB, run, turnsKey, engine: 'fixture' }));
    };
    const spoken = async ({ transcripts }: Process) => {
      const transcript = await transcripts.get('job_1');
      if (!transcript) throw new Error('there is no transcript');
      const segments: Segment[] = [];
      for await (const segment of transcripts.readSegments(transcript)) segments.push(segment);
      const speakers = new Set(segments.flatMap(({ words }) => words.map(({ speakerId }) => speakerId)));
      return { transcript, segments: segments.length, speakers: [...speakers] };
    };
    const published = async (type: string) => (await stores.documents.outbox.pending(1000)).flatMap((pending) => pending.events.filter((event) => event.type === type));

    it('a merge that another process finished meanwhile leaves the speakers that were assigned since', async () => {
      const writer = new PausedWriter();
      const [slow, other] = [await aProcess(writer), await aProcess()];
      await transcribe(other);
      const merged = slow.merger.mergeWhenComplete({ ...JOB, run: 1 });
      await writer.isPaused;
      await other.merger.mergeWhenComplete({ ...JOB, run: 1 });
      await turnsReady(other, 1, turnsOf('S1', 'S2'));
      const before = await spoken(other);
      expect(before).toMatchObject({ speakers: ['S1', 'S2'], transcript: { version: 2 } });

      writer.release();
      await merged;
      expect(await spoken(other)).toEqual(before);
      expect(await published('transcript.completed')).toHaveLength(1);
    });

    it('a merge without speakers leaves those of a merge that had them', async () => {
      const writer = new PausedWriter();
      const [slow, other] = [await aProcess(writer), await aProcess()];
      await transcribe(other);
      const merged = slow.merger.mergeWhenComplete({ ...JOB, run: 1 });
      await writer.isPaused;
      await turnsReady(other, 1, turnsOf('S1', 'S2'));
      await other.merger.mergeWhenComplete({ ...JOB, run: 1 });
      const before = await spoken(other);
      expect(before).toMatchObject({ speakers: ['S1', 'S2'], transcript: { version: 1, segmentCount: before.segments } });

      writer.release();
      await merged;
      expect(await spoken(other)).toEqual(before);
    });

    it('an assignment of older turns leaves the speakers of newer ones', async () => {
      const writer = new PausedWriter();
      const [slow, other] = [await aProcess(writer), await aProcess()];
      await transcribe(other);
      await other.merger.mergeWhenComplete({ ...JOB, run: 1 });
      const assigned = turnsReady(slow, 1, turnsOf('S1', 'S2')).catch((error: unknown) => error);
      await writer.isPaused;
      await turnsReady(other, 2, turnsOf('S1', 'S2', 'S3'));
      const before = await spoken(other);
      expect(before).toMatchObject({ speakers: ['S1', 'S2', 'S3'], transcript: { turns: { run: 2 } } });

      writer.release();
      // The bus delivers the event again, and then there is nothing to do.
      expect(await assigned).toMatchObject({ code: 'transcript_changing', retryable: true });
      await turnsReady(slow, 1, turnsOf('S1', 'S2'));
      expect(await spoken(other)).toEqual(before);
    });

    it('a merge completes over the pages of a killed one that could read the turns, once they can be read again', async () => {
      const process = await aProcess();
      await transcribe(process);
      await turnsReady(process, 1, turnsOf('S1', 'S2'));
      const { transcripts } = process;
      await transcripts.writePages('job_1', segments(), { accountId: 'acc_1', planRun: 1, turns: { run: 1, spoken: turnsOf('S1', 'S2') } });
      await media.remove('acc_1/job_1/speakers/1.json');
      await expect(process.merger.mergeWhenComplete({ ...JOB, run: 1 })).rejects.toMatchObject({ kind: 'not_found' });
      expect(await transcripts.get('job_1')).toBeUndefined();
      await put('acc_1/job_1/speakers/1.json', { jobId: JOB.jobId, turns: turnsOf('S1', 'S2') });
      await process.merger.mergeWhenComplete({ ...JOB, run: 1 });
      expect(await spoken(process)).toMatchObject({ speakers: ['S1', 'S2'] });
    });

    it('a merge of a later plan replaces what one of an earlier plan completed under its hands', async () => {
      const { transcripts } = await aProcess();
      const header = { id: 'job_1', createdAt: systemClock.now().toISOString(), accountId: 'acc_1', language: 'en', duration: 10, version: 1, speakers: [], engine: 'fixture', warnings: [] };
      const later = await transcripts.writePages('job_1', segments(2), { accountId: 'acc_1', planRun: 2 });
      await expect(transcripts.writePages('job_1', segments(1), { accountId: 'acc_1', planRun: 1 })).rejects.toMatchObject({ code: 'transcript_changing' });
      await transcripts.complete({ ...header, run: 1, planRun: 1, segmentCount: 1, wordCount: 0, pageCount: 1 }, () => []);
      expect(await transcripts.complete({ ...header, run: 2, planRun: 2, ...later }, () => [])).toMatchObject({ run: 2, version: 2, segmentCount: 2 });
    });
  });
}

async function* segments(count = 1) {
  for (let index = 0; index < count; index++) yield { segmentId: `seg_${index}`, start: index, end: index + 1, text: 'word', confidence: 1, words: [] };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
