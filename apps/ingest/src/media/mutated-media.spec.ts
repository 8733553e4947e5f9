import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import type { VoiceActivityDetector } from '@parlance/engines';
import { AppError, silentLogger } from '@parlance/platform';
import { seedOf } from '@parlance/platform/contract';
import { DiskReserve, openMediaStore, type MediaStore } from '@parlance/storage';
import { descendants, MediaFiles } from '@parlance/testing';
import { makeEveryKind } from '../../test/media-kinds.js';
import { mutate, mutatedFiles, type MutatedFile } from '../../test/media-mutations.js';
import { keysUnder, writeObject } from '../../test/stored-objects.js';
import { createLocalMediaDecoder } from './local-media-decoder.js';
import { isMediaErrorCode } from './media-error.js';
import { createMediaPipeline, type MediaPipeline } from './media-pipeline.js';
import { createMediaSandbox } from './sandbox.js';
import { ScratchBudget } from './scratch-budget.js';

/** CI (RANDOM_CASES=all) tries 300, `npm test` 35, one of each kind; `MEDIA_MUTATIONS=10000` as many as one likes. */
const MUTATIONS = Number(process.env['MEDIA_MUTATIONS'] ?? (process.env['RANDOM_CASES'] === 'all' ? 300 : 35));
const SEED = Math.abs(seedOf('PROPERTY_SEED'));
const AT_ONCE = 2;
const SECONDS_EACH = 20;

const MODES = [common.ChannelMode.CHANNEL_MODE_MIX, common.ChannelMode.CHANNEL_MODE_SPLIT, common.ChannelMode.CHANNEL_MODE_AUTO];

/** What is spoken is not the question here. */
const hearsNobody: VoiceActivityDetector = {
  async *detect(pcm) {
    for await (const block of pcm) void block;
    yield* [];
  },
};

let files: MediaFiles;
let scratch: MediaFiles;
let store: MediaStore;
let pipeline: MediaPipeline;
let contents: Buffer[];
const opened = new AsyncDisposableStack();

beforeAll(async () => {
  files = opened.use(await MediaFiles.create());
  scratch = opened.use(await MediaFiles.create());
  store = await openMediaStore(`file:${files.path('store')}`);
  const decoder = createLocalMediaDecoder(createMediaSandbox({ scratchFolder: scratch.folder, log: silentLogger(), limits: { cpuSeconds: 60, deadlineMs: 300_000 } }));
  pipeline = createMediaPipeline({ store, decoder, voiceActivity: hearsNobody, scratchFolder: scratch.folder, budget: new ScratchBudget(new DiskReserve(scratch.folder)) });
  contents = await Promise.all((await makeEveryKind(files)).map((path) => readFile(path)));
});
afterAll(() => opened.disposeAsync());

const contentOf = (number: number): Buffer => contents[number] ?? Buffer.alloc(0);

/** @returns `decoded`, the code of an error that the contract names, or what is wrong */
async function prepare(content: Buffer, index: number): Promise<string> {
  const jobId = `job_${index}`;
  await writeObject(store, `acc_1/${jobId}/source`, content);
  const request = {
    accountId: 'acc_1',
    jobId,
    options: { language: 'en', vocabulary: [] },
    channels: { mode: MODES[index % MODES.length] ?? common.ChannelMode.CHANNEL_MODE_MIX, names: [] },
    lengths: { idealSeconds: 5, maxSeconds: 10 },
    maxDurationSeconds: 120,
    signal: new AbortController().signal,
  };
  try {
    await pipeline.prepare(request);
    return 'decoded';
  } catch (error) {
    if (error instanceof AppError && isMediaErrorCode(error.code)) return error.code;
    return `unnamed: ${String(error)}`;
  } finally {
    await store.removePrefix(`acc_1/${jobId}/`);
  }
}

describe(`${MUTATIONS} changed recordings of every container and codec (PROPERTY_SEED=${SEED})`, () => {
  const outcomes: string[] = [];

  it('are decoded as far as they can be, or fail with a code of the contract', async () => {
    const cases = mutatedFiles(MUTATIONS, contents.length, SEED);
    const queue = cases.entries();
    const unnamed: { outcome: string; changed: MutatedFile }[] = [];
    const work = async () => {
      for (const [index, changed] of queue) {
        const outcome = await prepare(mutate(contentOf(changed.file), contentOf(changed.other), changed.mutations), index);
        outcomes.push(outcome);
        if (outcome.startsWith('unnamed')) unnamed.push({ outcome, changed });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(unnamed).toEqual([]);
    expect(outcomes).toHaveLength(MUTATIONS);
  }, (60 + MUTATIONS * SECONDS_EACH) * 1000);

  it('are partly decoded and partly refused, so that both ways are tried', () => {
    expect(new Set(outcomes).size).toBeGreaterThan(2);
    expect(outcomes).toContain('decoded');
  });

  it('leave no file, no object and no program', async () => {
    expect(await readdir(scratch.folder)).toEqual([]);
    expect(await keysUnder(store, 'acc_1/')).toEqual([]);
    expect((await descendants(process.pid)).filter(({ name }) => name.startsWith('ff'))).toEqual([]);
  });

  afterAll(() => {
    if (process.env['MEDIA_MUTATIONS'] === undefined) return;
    const counts = Object.entries(Object.groupBy(outcomes, (outcome) => outcome)).map(([outcome, all = []]) => `${outcome} ${all.length}`);
    process.stdout.write(`${counts.join(', ')}\n`);
  });
});
