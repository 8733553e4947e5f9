import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mediaKeys } from '@parlance/contracts';
import { silentLogger, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase, type MediaStore } from '@parlance/storage';
import type { TaskContext } from '@parlance/task-queue';
import { strFromU8, unzipSync } from 'fflate';
import { defaultPlans } from '../../test/default-plans.js';
import { accountTools } from '../operators.js';
import type { AccountExport } from './account-export.js';
import { AccountDataController } from '../grpc/account-data.controller.js';
import { AccountExports } from './account-exports.js';
import { ExportArchiveStore } from './export-archive-store.js';
import { ExportSections } from './export-sections.js';
import { ExportWorker } from './export-worker.js';
import { InternalApi } from './internal-api.js';

const ACCOUNT = 'acc_1';
const ORDERED = Date.parse('2026-03-01T10:00:00.000Z');
const JOBS = 12;
/** Parts end with each second job. */
const LIMITS = { bytes: 1_000_000, files: 4 };

/** Of a clock that is ahead of that of the order: what has it was there before. */
const AHEAD_MS = 3000;
const LATER_MS = 10 * 60_000;

const timeOf = (ms: number) => new Date(ORDERED + ms).toISOString();
const jobId = (number: number) => `job_${String(number).padStart(4, '0')}`;

/** The time of the job or event with that number. The last one that was there was dated by a clock that is ahead. */
function createdAtOf(number: number): string {
  if (number > JOBS) return timeOf(LATER_MS + number);
  return timeOf(number === JOBS ? AHEAD_MS : number - JOBS);
}

/** The API of an account that always has one more job and event: numbers up to `JOBS` were there before the export was ordered. */
class EndlessApi extends InternalApi {
  pages = 0;
  /** Thrown by the reading of a job. */
  failure: Error | undefined;

  constructor() {
    super(undefined as never, undefined as never);
  }

  override async get(_accountId: string, path: string): Promise<Buffer | undefined> {
    if (path === '/account') return Buffer.from(JSON.stringify({ account_id: ACCOUNT, created_at: timeOf(-1000) }));
    const id = /^\/transcriptions\/(job_\d+)(?:\?.*)?$/.exec(path)?.[1];
    if (id === jobId(5) && this.failure) throw this.failure;
    return id === undefined ? undefined : Buffer.from(JSON.stringify({ job_id: id, kind: id === jobId(2) ? 'live' : 'file' }));
  }

  override async page(_accountId: string, path: string, cursor: string | null, limit: number): Promise<{ data: unknown[]; next: string | null }> {
    if (++this.pages > 1000) throw new Error('the export does not end');
    const numbers = Array.from({ length: limit }, (_, nth) => Number(cursor ?? 0) + nth + 1);
    const next = String(numbers.at(-1));
    if (path.startsWith('/transcriptions?')) return { data: numbers.map((number) => ({ job_id: jobId(number), created_at: createdAtOf(number) })), next };
    if (path === '/events') return { data: numbers.map((number) => ({ event_id: `evt_${number}`, timestamp: createdAtOf(number) })), next };
    // Newest first, as most lists.
    if (path === '/keys') return { data: [LATER_MS, AHEAD_MS, -1].map((ms) => ({ key_id: `key_${ms}`, created_at: timeOf(ms) })), next: null };
    if (path === '/erasures') return { data: [LATER_MS, -1].map((ms) => ({ erasure_id: `era_${ms}`, requested_at: timeOf(ms), completed_at: timeOf(LATER_MS) })), next: null };
    if (path === '/audit') return { data: [LATER_MS, -1].map((ms) => ({ sequence: ms, time: timeOf(ms) })), next: null };
    if (path === `/transcriptions/${jobId(1)}/links`) return { data: [{ link_id: 'new', created_at: timeOf(LATER_MS) }, { link_id: 'old', created_at: timeOf(-5) }], next: null };
    return { data: [], next: null };
  }
}

/** Times of the messages that there are when the reading of a session begins, which several processes dated. */
const MESSAGES = [-2, LATER_MS, -1, AHEAD_MS];

/** A session that never ends: it gets messages faster than they are read, and the clock of its process is behind. */
const endlessSession = {
  last: async () => ({ seq: MESSAGES.length }),
  async *list() {
    for (let seq = 1; ; seq += 1) {
      if (seq > 1000) throw new Error('the session does not end');
      yield { seq, createdAt: timeOf(MESSAGES[seq - 1] ?? -1), message: { seq } };
    }
  },
};

describe('the export of an account', () => {
  let opened: AsyncDisposableStack;
  let folder: string;
  let documents: DocumentDatabase;
  let media: MediaStore;
  let api: EndlessApi;
  let exports: AccountExports;
  let archives: ExportArchiveStore;
  const clock = { now: () => new Date(ORDERED) };
  const log = silentLogger();
  const destroyed: string[] = [];

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    folder = await mkdtemp(join(tmpdir(), 'parlance-exports-'));
    opened.defer(() => rm(folder, { recursive: true }));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'gateway.db')}`, { clock, ids: ulidGenerator(), log, source: 'gateway' });
    opened.defer(() => documents.close());
    media = await openMediaStore(`file:${join(folder, 'media')}`);
    api = new EndlessApi();
    archives = new ExportArchiveStore(media, { destroy: async (_accountId, holder) => void destroyed.push(holder) });
    exports = new AccountExports(documents, archives, { ACCOUNT_EXPORT_HOURS: 72 }, clock, ulidGenerator());
  });
  afterEach(() => opened.disposeAsync());

  const find = (exportId: string) => exports.find(ACCOUNT, exportId) as Promise<AccountExport>;
  const storedBelow = async (exportId: string) => {
    const keys: string[] = [];
    for await (const { key } of media.list(mediaKeys(ACCOUNT, exportId).all)) keys.push(key);
    return keys;
  };

  /** One try of the task, by a process that remembers nothing of the tries before. */
  async function perform(exportId: string, changed: { exports?: AccountExports } = {}): Promise<void> {
    const sections = new ExportSections(api, endlessSession as never, { listTranslations: async () => ({ languages: [] }) } as never, media);
    const worker = new ExportWorker(changed.exports ?? exports, sections, archives, { add: async () => 0 }, clock, log).worker(LIMITS);
    const { signal } = new AbortController();
    await worker.perform({ id: exportId, accountId: ACCOUNT, payload: null, group: ACCOUNT, attempt: 1, enqueuedAt: clock.now(), fencingToken: 1 }, { signal, draining: signal, maxAttempts: 1 } satisfies TaskContext);
  }

  async function finish(exportId: string): Promise<AccountExport> {
    while ((await find(exportId)).status === 'processing') await perform(exportId);
    await perform(exportId);
    return find(exportId);
  }

  async function archiveOf(order: AccountExport): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of await archives.get(order, { start: 0, end: order.sizeBytes })) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** The names as Python's zipfile lists them, each as often as it is there, after it has read every file. */
  async function namesIn(archive: Buffer): Promise<string[]> {
    const path = join(folder, 'archive.zip');
    await writeFile(path, archive);
    const { stdout } = await promisify(execFile)('python3', ['-c', 'import json, sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint(json.dumps(z.namelist()))', path]);
    return JSON.parse(stdout) as string[];
  }

  it('has what was created before it was ordered, by clocks that differ, and ends while more is created all the time', async () => {
    const order = await finish((await exports.create(ACCOUNT, false)).exportId);
    const files = unzipSync(await archiveOf(order));
    const json = (name: string) => JSON.parse(strFromU8(files[name] ?? new Uint8Array())) as Record<string, unknown>[];
    expect(Object.keys(files).filter((name) => name.endsWith('/job.json'))).toEqual(Array.from({ length: JOBS }, (_, nth) => `transcriptions/${jobId(nth + 1)}/job.json`));
    expect(json('events/000001.json')).toHaveLength(JOBS);
    expect(json('keys/000001.json')).toMatchObject([{ key_id: `key_${AHEAD_MS}` }, { key_id: 'key_-1' }]);
    expect([json('erasures/000001.json'), json('audit/000001.json')]).toMatchObject([[{ erasure_id: 'era_-1' }], [{ sequence: -1 }]]);
    expect(json(`transcriptions/${jobId(1)}/links.json`)).toMatchObject([{ link_id: 'old' }]);
    expect(json(`transcriptions/${jobId(2)}/live-events.json`)).toEqual([{ seq: 1 }, { seq: 3 }, { seq: 4 }]);
  });

  it('of several parts has each file once, though its process was killed in a part, and before a part was recorded', async () => {
    const { exportId } = await exports.create(ACCOUNT, false);
    await perform(exportId);
    api.failure = new Error('the process was killed');
    for (let tries = 0; tries < 3; tries += 1) await perform(exportId).catch(() => {});
    const halfWay = await find(exportId);
    expect([halfWay.status, halfWay.parts > 1]).toEqual(['processing', true]);
    api.failure = undefined;
    const unrecorded = Object.assign(Object.create(exports) as AccountExports, { partMade: () => Promise.reject(new Error('the process was killed')) });
    await expect(perform(exportId, { exports: unrecorded })).rejects.toThrow('killed');
    expect(await storedBelow(exportId)).toContain(mediaKeys(ACCOUNT, exportId).archivePart(halfWay.parts + 1));
    const order = await finish(exportId);
    expect(order.parts).toBeGreaterThan(halfWay.parts + 2);

    const archive = await archiveOf(order);
    const names = await namesIn(archive);
    expect(names).toHaveLength(new Set(names).size);
    expect([names.length, names.at(-1)]).toEqual([order.files, 'manifest.json']);
    for (let number = 1; number <= JOBS; number += 1) expect(names).toContain(`transcriptions/${jobId(number)}/job.json`);
    const files = unzipSync(archive);
    const manifest = JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array())) as { files: { name: string; sha256: string }[] };
    expect(manifest.files.map(({ name }) => name)).toEqual(names.slice(0, -1));
    for (const { name, sha256 } of manifest.files) expect([name, createHash('sha256').update(files[name] ?? '').digest('hex')]).toEqual([name, sha256]);
    expect(await storedBelow(exportId)).toEqual([mediaKeys(ACCOUNT, exportId).archive]);
  });

  it('by the operator takes the place of ended ones, whose archives are removed, and is refused while one is made', async () => {
    const { orderExport } = accountTools(documents, defaultPlans(), clock, ulidGenerator());
    const first = await finish((await exports.create(ACCOUNT, false)).exportId);
    expect(await storedBelow(first.exportId)).not.toEqual([]);
    const second = await orderExport(ACCOUNT, false);
    await expect(orderExport(ACCOUNT, false)).rejects.toMatchObject({ code: 'invalid_state', retryable: true });
    await exports.failed(await find(second));
    const third = await orderExport(ACCOUNT, true);
    expect(await exports.get(ACCOUNT)).toMatchObject({ exportId: third, hasMedia: true, status: 'processing', parts: 0 });
    await perform(third);
    expect([await storedBelow(first.exportId), destroyed.slice(-2)]).toEqual([[], [first.exportId, second]]);
    expect(await find(third)).not.toHaveProperty('replaces');
  });

  it('that is removed before its worker began takes the archive with it whose place it took', async () => {
    const { orderExport } = accountTools(documents, defaultPlans(), clock, ulidGenerator());
    const first = await finish((await exports.create(ACCOUNT, false)).exportId);
    await orderExport(ACCOUNT, false);
    await exports.remove(await exports.get(ACCOUNT));
    expect(await storedBelow(first.exportId)).toEqual([]);
  });

  it('of an erased account goes with its archive and the key of that', async () => {
    const { exportId } = await finish((await exports.create(ACCOUNT, false)).exportId);
    const nothing = { removeAll: async () => {}, removeItemsOf: async () => {}, removeOf: async () => {}, forget: async () => {}, allIds: async () => [] };
    await new AccountDataController(documents, nothing, nothing, nothing, nothing, exports, nothing).eraseAccountData({ accountId: ACCOUNT });
    expect([await find(exportId), await storedBelow(exportId), destroyed.at(-1)]).toEqual([undefined, [], exportId]);
  });

  it('that is being made goes with an erased account, also when its removal was killed before', async () => {
    const { exportId } = await exports.create(ACCOUNT, false);
    await perform(exportId);
    expect(await storedBelow(exportId)).not.toEqual([]);
    const killed = new AccountExports(documents, { remove: () => Promise.reject(new Error('the process was killed')) }, { ACCOUNT_EXPORT_HOURS: 72 }, clock, ulidGenerator());
    await expect(killed.removeOf(ACCOUNT)).rejects.toThrow('killed');
    await exports.removeOf(ACCOUNT);
    expect([await find(exportId), await storedBelow(exportId), destroyed.at(-1)]).toEqual([undefined, [], exportId]);
    await expect(exports.removeOf(ACCOUNT)).resolves.toBeUndefined();
  });
});
