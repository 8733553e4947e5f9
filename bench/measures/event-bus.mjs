import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openEventBus } from '@parlance/event-bus';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { percent, quantile } from '../table.mjs';
import { eventOf } from './event-of.mjs';

const EVENTS = { smoke: 500, quick: 20_000, full: 100_000 };
/** Events a document's outbox hands over at once under load. */
const BATCH = 64;
const LATENCY_EVENTS = { smoke: 50, quick: 1000, full: 5000 };

/** Publishing and handling through the port, against inserting the same bytes into SQLite; and the time from one to the other. */
export async function eventBus(size) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-'));
  try {
    const baseline = rawInserts(join(folder, 'raw.db'), EVENTS[size]);
    const insertTimes = rawInsertTimes(join(folder, 'single.db'), LATENCY_EVENTS[size]);
    const { rate, latencies } = await throughThePort(join(folder, 'bus.db'), size);
    const shown = (times) => `p50 ${quantile(times, 0.5).toFixed(2)} ms, p99 ${quantile(times, 0.99).toFixed(2)} ms`;
    return [
      {
        name: 'event bus, publish to handled',
        measured: `${rate.toFixed(0)}/s`,
        baseline: `raw inserts, ${BATCH} a commit: ${baseline.toFixed(0)}/s`,
        ratio: percent(rate / baseline),
        target: '',
      },
      { name: 'event bus, latency', measured: shown(latencies), baseline: `one raw insert a commit: ${shown(insertTimes)}`, ratio: '', target: '' },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function rawLog(path) {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; CREATE TABLE log (seq INTEGER PRIMARY KEY, key TEXT, body TEXT)');
  return { database, insert: database.prepare('INSERT INTO log (key, body) VALUES (?, ?)') };
}

/** @returns milliseconds each, in order */
function rawInsertTimes(path, count) {
  const { database, insert } = rawLog(path);
  const times = Array.from({ length: count }, (_, index) => {
    const event = eventOf(index);
    const started = performance.now();
    insert.run(event.key, JSON.stringify(event));
    return performance.now() - started;
  });
  database.close();
  return times.toSorted((a, b) => a - b);
}

function rawInserts(path, count) {
  const { database, insert } = rawLog(path);
  const started = performance.now();
  for (let index = 0; index < count; index += BATCH) {
    database.exec('BEGIN');
    for (let at = index; at < Math.min(count, index + BATCH); at += 1) {
      const event = eventOf(at);
      insert.run(event.key, JSON.stringify(event));
    }
    database.exec('COMMIT');
  }
  const rate = (count * 1000) / (performance.now() - started);
  database.close();
  return rate;
}

async function throughThePort(path, size) {
  const bus = await openEventBus(`sqlite:${path}`, { clock: systemClock, ids: ulidGenerator(), log: silentLogger() });
  const count = EVENTS[size];
  let handled = 0;
  let onAll;
  const all = new Promise((resolve) => (onAll = resolve));
  const sentAt = new Map();
  const latencies = [];
  await bus.subscribe({
    group: 'bench',
    topic: 'parlance.chunk-results.v1',
    concurrency: 64,
    handlers: {
      'chunk.transcribed': async ({ event }) => {
        const sent = sentAt.get(event.id);
        if (sent !== undefined) latencies.push(performance.now() - sent);
        handled += 1;
        if (handled === count) onAll();
      },
    },
  });
  const started = performance.now();
  for (let index = 0; index < count; index += BATCH) {
    await bus.publish(Array.from({ length: Math.min(BATCH, count - index) }, (_, at) => eventOf(index + at)));
  }
  await all;
  const rate = (count * 1000) / (performance.now() - started);

  for (let index = 0; index < LATENCY_EVENTS[size]; index += 1) {
    const event = eventOf(index);
    const before = latencies.length;
    sentAt.set(event.id, performance.now());
    await bus.publish([event]);
    while (latencies.length === before) await new Promise((resolve) => setImmediate(resolve));
  }
  await bus.close();
  return { rate, latencies: latencies.toSorted((a, b) => a - b) };
}
