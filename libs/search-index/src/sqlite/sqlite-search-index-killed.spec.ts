import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chanceFor } from '@parlance/platform/contract';
import { EmbeddedPlayground } from '../../test/embedded-playground.js';

const program = fileURLToPath(new URL('../../test/index-process.mjs', import.meta.url));
const LIVES = 6;
const { random } = chanceFor('sqlite-search-index-killed');

interface Note {
  jobId: string;
  version: number;
  count: number;
}

describe('SqliteSearchIndex of a process that is killed', () => {
  let playground: EmbeddedPlayground;
  beforeEach(async () => {
    playground = await EmbeddedPlayground.create(8);
    await playground.index.close();
    await appendFile(journal(), '');
  });
  afterEach(() => playground.dispose());

  const journal = () => `${playground.path}.journal`;
  const notes = async (): Promise<Note[]> => {
    const lines = (await readFile(journal(), 'utf8')).split('\n');
    return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as Note);
  };
  const live = async (life: number) => {
    const enough = (await notes()).length + 5 + Math.floor(random() * 20);
    const child = spawn(process.execPath, [program, playground.path, journal(), String(life)], { stdio: 'inherit', env: { ...process.env, NODE_OPTIONS: '' } });
    const exited = once(child, 'exit');
    while ((await notes()).length < enough) await pause(5);
    child.kill('SIGKILL');
    await exited;
  };

  it('has each job as it was put last, and nothing by halves', async () => {
    for (let life = 1; life <= LIVES; life += 1) await live(life);
    const acknowledged = new Map((await notes()).map((note) => [note.jobId, note]));
    const index = await playground.reopen();
    for (const [jobId, { version, count }] of acknowledged) {
      const { hits } = await index.search({ accountId: 'acc', text: 'said', limit: 100, filters: { jobIds: [jobId] } });
      const versions = new Set(hits.map(({ text }) => Number(/v(\d+)/.exec(text)?.[1])));
      // The one after the last that was acknowledged may be there too, but whole.
      const [found = 0] = versions;
      expect(versions.size).toBe(1);
      expect(found).toBeGreaterThanOrEqual(version);
      if (found === version) expect(hits).toHaveLength(count);
      const near = await index.search({ accountId: 'acc', text: '', embedding: new Float32Array(8).fill(1), limit: 100, filters: { jobIds: [jobId] } });
      expect(near.hits).toHaveLength(hits.length);
    }
    await index.close();
    const database = new DatabaseSync(playground.path);
    expect(database.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
    database.exec("INSERT INTO passage_terms (passage_terms) VALUES ('integrity-check')");
    const counts = database.prepare('SELECT (SELECT count(*) FROM passages) AS passages, (SELECT sum(passages) FROM jobs) AS counted, (SELECT count(*) FROM passage_terms) AS terms').get();
    expect(counts).toMatchObject({ counted: counts?.['passages'], terms: counts?.['passages'] });
    database.close();
  });
});
