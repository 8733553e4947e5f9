import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock } from '@parlance/platform';
import { chanceFor } from '@parlance/platform/contract';
import { eventually } from '../contract/index.js';
import { SqliteEventBus } from './sqlite-event-bus.js';

const program = fileURLToPath(new URL('../../test/bus-process.mjs', import.meta.url));
const LIVES = 6;
const { seed, random } = chanceFor('sqlite-event-bus-killed');

interface Note {
  life: number;
  what: 'published' | 'began' | 'ended';
  id: string;
  key: string;
}

describe('SqliteEventBus in a process that is killed', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-bus-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const database = () => join(folder, 'events.db');
  const journal = async (): Promise<Note[]> => {
    const text = await readFile(join(folder, 'journal'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as Note);
  };

  /** Lets the process work for a while that is counted in what it does, and kills it. */
  const live = async (life: number) => {
    const before = (await journal()).length;
    const child = spawn(process.execPath, [program, database(), join(folder, 'journal'), String(life)], { stdio: 'inherit', env: { ...process.env, CHANCE_SEED: String(seed) } });
    try {
      const enough = 50 + Math.floor(random() * 400);
      await eventually(async () => (await journal()).length > before + enough, 'work of the process');
    } finally {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
  };

  it('loses nothing that was published, and redelivers what was not finished alone, in order', async () => {
    for (let life = 1; life <= LIVES; life += 1) await live(life);
    const notes = await journal();
    const leftOver: { id: string; key: string }[] = [];
    const bus = await SqliteEventBus.open(database(), { clock: systemClock, log: silentLogger() });
    const published = notes.filter(({ what }) => what === 'published');
    const ended = new Set(notes.filter(({ what }) => what === 'ended').map(({ id }) => id));
    await bus.subscribe({
      group: 'survivors',
      topic: 'parlance.jobs.v1',
      handlers: { 'job.progressed': async ({ event: { id, key } }) => void leftOver.push({ id, key }) },
    });
    const handled = () => new Set([...ended, ...leftOver.map(({ id }) => id)]);
    await eventually(() => published.every(({ id }) => handled().has(id)), 'the handling of all that was published');
    await bus.close();

    const lives = Map.groupBy(notes, ({ life }) => life);
    const endedBefore = new Set<string>();
    let redone = 0;
    for (const life of lives.values()) {
      redone += life.filter(({ what, id }) => what === 'began' && endedBefore.has(id)).length;
      for (const { what, id } of life) if (what === 'ended') endedBefore.add(id);
    }
    redone += leftOver.filter(({ id }) => endedBefore.has(id)).length;
    // What ended within 20 ms before a kill may come again: some events of a life, never most of what was done.
    expect(redone).toBeLessThan(endedBefore.size / 2);

    // A ULID says in which order the events of one process were made, and one process came after the other.
    const finished = [...notes.filter(({ what }) => what === 'ended'), ...leftOver];
    for (const ofKey of Map.groupBy(finished, ({ key }) => key).values()) {
      const firstTimes = [...new Set(ofKey.map(({ id }) => id))];
      expect(firstTimes).toEqual(firstTimes.toSorted());
    }
  });
});
