import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { idsByKey } from '../../test/ids-by-key.js';
import { KafkaPlayground } from '../../test/kafka-playground.js';
import { BusFixture } from '../contract/bus-fixture.js';
import { eventually } from '../contract/index.js';
import type { KafkaEventBus } from './kafka-event-bus.js';

const program = fileURLToPath(new URL('../../test/kafka-bus-process.mjs', import.meta.url));
const build = fileURLToPath(new URL('../../../../scripts/build.mjs', import.meta.url));
const CONCURRENCY = 4;

describe('a member of a group on Kafka that is killed', () => {
  let folder: string;
  let playground: KafkaPlayground;
  const fixture = new BusFixture<KafkaEventBus>(async () => {
    playground = await KafkaPlayground.create({ partitions: 6, sessionTimeoutMs: 6000 });
    const connect = () => playground.connect();
    return { bus: await connect(), connect, dispose: () => playground.dispose() };
  });
  const children: ChildProcess[] = [];
  beforeAll(() => {
    expect(spawnSync(process.execPath, [build]).status).toBe(0);
  });
  beforeEach(async () => {
    await fixture.setUp();
    folder = await mkdtemp(join(tmpdir(), 'parlance-kafka-'));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child);
    await fixture.tearDown();
    await rm(folder, { recursive: true });
  });

  const kill = async (child: ChildProcess): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  const start = (name: string, group: string): ChildProcess => {
    const child = spawn(process.execPath, [program, playground.url, group, join(folder, 'journal'), name, '10'], { stdio: 'inherit' });
    children.push(child);
    return child;
  };
  const journal = async (what: string, by?: string): Promise<{ name: string; id: string; key: string }[]> => {
    const text = await readFile(join(folder, 'journal'), 'utf8').catch(() => '');
    const notes = text.split('\n').filter((line) => line.endsWith('}'));
    return notes.map((line) => JSON.parse(line)).filter((note) => note.what === what && (by === undefined || note.name === by));
  };

  it('loses nothing: another goes on in order, and little is done twice', async () => {
    const group = fixture.name('group');
    const jobs = Array.from({ length: 20 }, () => fixture.name('job'));
    const events = Array.from({ length: 40 }, () => jobs.map((job) => fixture.event(job))).flat();
    const first = start('first', group);
    await eventually(async () => (await journal('ready', 'first')).length === 1);
    start('second', group);
    await eventually(async () => (await journal('ready', 'second')).length === 1);
    await fixture.bus.publish(events);
    await eventually(async () => (await journal('ended', 'first')).length > 100);
    await kill(first);
    const wanted = new Set(events.map(({ id }) => id));
    const killedAt = Date.now();
    const before = new Set((await journal('began', 'second')).map(({ key }) => key));
    let tookOver: number | undefined;
    await eventually(async () => {
      const taken = (await journal('began', 'second')).some(({ key }) => !before.has(key) && jobs.includes(key));
      if (taken) tookOver ??= Date.now() - killedAt;
      const done = new Set((await journal('ended')).map(({ id }) => id));
      return events.every(({ id }) => done.has(id));
    }, 'every event');
    process.stdout.write(`taken over ${tookOver} ms after the kill\n`);

    const ended = (await journal('ended')).filter(({ id }) => wanted.has(id));
    expect(idsByKey(ended)).toEqual(idsByKey(events));
    // What ran, and what was finished since the last commit: a tenth of a second of four handlers of 10 ms, and some time for the file.
    expect(ended.length - events.length).toBeLessThan(CONCURRENCY * 60);
  });

  it('loses nothing when it is only held up, finds itself expelled, and takes its share again', async () => {
    const group = fixture.name('group');
    const jobs = Array.from({ length: 20 }, () => fixture.name('job'));
    const batch = (count: number) => Array.from({ length: count }, () => jobs.map((job) => fixture.event(job))).flat();
    const allEnded = (events: readonly { id: string }[]) => async () => {
      const done = new Set((await journal('ended')).map(({ id }) => id));
      return events.every(({ id }) => done.has(id));
    };
    const [before, after] = [batch(20), batch(20)];
    const first = start('first', group);
    await eventually(async () => (await journal('ready', 'first')).length === 1);
    start('second', group);
    await eventually(async () => (await journal('ready', 'second')).length === 1);
    await fixture.bus.publish(before);
    await eventually(async () => (await journal('ended', 'first')).length > 20);
    first.kill('SIGSTOP');
    await eventually(allEnded(before), 'every event, by the other');
    first.kill('SIGCONT');
    await eventually(async () => {
      const { groups } = await playground.admin.describeGroups([`${playground.prefix}parlance.jobs.v1.${group}`]);
      return groups[0]?.state === 'Stable' && groups[0].members.length === 2;
    }, 'a group of two');
    await fixture.bus.publish(after);
    await eventually(allEnded(after), 'every later event');
    const shares = await Promise.all(['first', 'second'].map((name) => journal('began', name)));
    const later = new Set(after.map(({ id }) => id));
    expect(shares.map((share) => share.some(({ id }) => later.has(id)))).toEqual([true, true]);
    const wanted = new Set([...before, ...after].map(({ id }) => id));
    expect(idsByKey((await journal('ended')).filter(({ id }) => wanted.has(id)))).toEqual(idsByKey([...before, ...after]));
  });
});
