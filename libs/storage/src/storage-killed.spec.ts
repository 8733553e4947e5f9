import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/event-bus/contract';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { chanceFor } from '@parlance/platform/contract';
import { openDocumentDatabase, openMediaStore, type Document } from './index.js';

const program = fileURLToPath(new URL('../test/storage-process.mjs', import.meta.url));
const LIVES = 6;
const { random } = chanceFor('storage-killed');

interface Counter extends Document {
  value: number;
}
type Note = { counter: string; value: number } | { key: string };

describe('storage of a process that is killed', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-storage-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const urls = () => [`sqlite:${join(folder, 'documents.db')}`, `file:${join(folder, 'media')}`] as const;

  const journal = async (): Promise<Note[]> => {
    const text = await readFile(join(folder, 'journal'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as Note);
  };

  const kill = async (child: ChildProcess) => {
    // One that ended by itself has failed: there is nothing left to wait for.
    expect(child.exitCode).toBeNull();
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };

  /** Lets processes work for a while that is counted in what they do, and kills them. */
  const live = async (...lives: number[]) => {
    const before = (await journal()).length;
    const children = lives.map((life) => spawn(process.execPath, [program, ...urls(), join(folder, 'journal'), String(life)], { stdio: 'inherit' }));
    try {
      const enough = 50 + Math.floor(random() * 300);
      await eventually(async () => (await journal()).length > before + enough, 'work of the process');
    } finally {
      await Promise.all(children.map(kill));
    }
  };

  const open = async () => ({
    database: await openDocumentDatabase(urls()[0], { clock: systemClock, ids: ulidGenerator(), source: 'test' }),
    media: await openMediaStore(urls()[1]),
  });

  it('has every write that was acknowledged, with its event, and nothing by halves', async () => {
    for (let life = 1; life <= LIVES; life += 1) await live(life);
    const notes = await journal();
    const { database, media } = await open();

    const events = (await database.outbox.pending(1_000_000)).flatMap((pending) => pending.events);
    for (const id of ['a', 'b']) {
      const value = (await database.collection<Counter>({ name: 'counters', indexes: [] }).get(id))?.document.value ?? 0;
      const acknowledged = notes.flatMap((note) => ('counter' in note && note.counter === id ? [note.value] : []));
      expect(value).toBeGreaterThanOrEqual(Math.max(...acknowledged));
      expect(new Set(acknowledged).size).toBe(acknowledged.length);
      const published = events.filter(({ key }) => key === id).map(({ data }) => 'sequence' in data && data.sequence);
      expect(published).toEqual(Array.from({ length: value }, (_, index) => index + 1));
    }
    await database.close();

    const keys = new Set(notes.flatMap((note) => ('key' in note ? [note.key] : [])));
    expect(keys.size).toBeGreaterThan(0);
    for (const key of keys) expect(await media.head(key)).toEqual({ key, sizeBytes: 80_000 });
    const left = await readdir(join(folder, 'media', 'uploads'), { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile())).toEqual([]);
  });

  it('loses no update of processes that write the same documents', async () => {
    await live(1, 2, 3);
    const notes = await journal();
    for (const id of ['a', 'b']) {
      const values = notes.flatMap((note) => ('counter' in note && note.counter === id ? [note.value] : []));
      expect(new Set(values).size).toBe(values.length);
      expect(values.length).toBeGreaterThan(0);
    }
  });
});
