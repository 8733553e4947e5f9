import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEventBus } from '@parlance/event-bus';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { percent, quantile, times } from '../table.mjs';

/** Jobs of three webhooks each: half a minute of a full run, so that the first second, in which code is compiled, says little. */
const JOBS = { smoke: 100, quick: 2_000, full: 20_000 };
const RECEIVERS = 50;
const ACCOUNTS = 10;
/** As many requests as the dispatcher may have open: two to each receiver. */
const CONCURRENCY = 2 * RECEIVERS;

const MANY = { smoke: 100, quick: 1_000, full: 1_000 };
/** Events for each of them, one after the other. */
const WAVES = { smoke: 2, quick: 5, full: 10 };
const WAVE_MS = 500;
/** Every tenth receiver never answers. */
const HANGS = 10;

const program = (path) => fileURLToPath(new URL(path, import.meta.url));
const ids = ulidGenerator();

/** Webhooks a second from events on the bus to receivers, against undici alone; and what receivers that hang cost the others. */
export async function webhooks(size) {
  const receivers = await Receivers.start();
  try {
    return [await throughput(receivers, JOBS[size]), await besideHanging(receivers, MANY[size], WAVES[size])];
  } finally {
    receivers.close();
  }
}

async function throughput(receivers, jobs) {
  const urls = receivers.urls(RECEIVERS);
  const count = 3 * jobs;
  const body = JSON.stringify({ type: 'transcription.completed', timestamp: new Date().toISOString(), data: { job_id: ids.next('job'), status: 'completed', sequence: 3, metadata: { source: 'bench' } } });
  const bare = async () => {
    const arrivals = await receivers.collect({ expected: count }, () => {
      const child = fork(program('../bare-webhooks.mjs'), [JSON.stringify([urls, count, CONCURRENCY, body])]);
      return () => child.kill();
    });
    return rateOf(arrivals);
  };
  const events = Array.from({ length: jobs }, (_, nth) => eventsOf(urls[nth % RECEIVERS], `acc_${nth % ACCOUNTS}`)).flat();
  const before = await bare();
  const ours = await withDispatcher(async ({ bus, start }) => {
    await publish(bus, events);
    return receivers.collect({ expected: count }, start);
  });
  // Before and after: the machine's own speed changes within a minute.
  const baseline = (before + (await bare())) / 2;
  const ratio = rateOf(ours) / baseline;
  return {
    name: 'webhooks, event to receiver',
    measured: `${rateOf(ours).toFixed(0)}/s`,
    baseline: `bare undici loop ${baseline.toFixed(0)}/s`,
    ratio: percent(ratio),
    target: '≥ 8 %',
    met: ratio >= 0.08,
  };
}

async function besideHanging(receivers, many, waves) {
  const without = await delays(receivers, many, waves, []);
  const urls = receivers.urls(many).filter((_, nth) => nth % HANGS === 0);
  const beside = await delays(receivers, many, waves, urls);
  const [median, baseMedian] = [beside, without].map((all) => quantile(all, 0.5));
  const [p99, baseP99] = [beside, without].map((all) => quantile(all, 0.99));
  const ratio = Math.max(median / baseMedian, p99 / baseP99);
  return {
    name: `webhooks of ${many - urls.length} receivers beside ${urls.length} that hang, delay`,
    measured: `p50 ${median} ms, p99 ${p99} ms`,
    baseline: `without: p50 ${baseMedian} ms, p99 ${baseP99} ms`,
    ratio: times(ratio),
    target: '≤ 1.50 ×',
    met: ratio <= 1.5,
  };
}

/** Milliseconds from publishing to arrival at the receivers that answer in both runs, sorted. */
async function delays(receivers, many, waves, hanging) {
  const urls = receivers.urls(many);
  const answering = urls.filter((_, nth) => nth % HANGS !== 0);
  const expected = waves * (many - hanging.length);
  const publishedAt = [];
  const wave = () => urls.map((url, nth) => eventOf('job.completed', 1, { callbackUrl: url, accountId: `acc_${nth}`, jobId: ids.next('job') }));
  const arrivals = await withDispatcher(async ({ bus, start }) => {
    let stop;
    // One before, so that the time of its start is not measured.
    await receivers.collect({ expected: 1 }, async () => {
      stop = await start();
      await publish(bus, wave().slice(1, 2));
      return () => {};
    });
    return receivers.collect({ expected, hanging: hanging.map((url) => new URL(url).hostname) }, async () => {
      for (let nth = 0; nth < waves; nth += 1) {
        publishedAt.push(Date.now());
        await publish(bus, wave());
        await new Promise((resolve) => setTimeout(resolve, WAVE_MS));
      }
      return stop;
    });
  });
  const seen = new Map();
  const hosts = new Set(answering.map((url) => new URL(url).hostname));
  const delaysOf = arrivals.flatMap(([address, time]) => {
    if (!hosts.has(address)) return [];
    const nth = seen.get(address) ?? 0;
    seen.set(address, nth + 1);
    return [time - publishedAt[nth]];
  });
  return delaysOf.toSorted((a, b) => a - b);
}

/** The receivers, in a process of their own. */
class Receivers {
  static async start() {
    const child = fork(program('../webhook-receivers.mjs'));
    const [{ port }] = await once(child, 'message');
    return Object.assign(new Receivers(), { child, port });
  }

  urls(count) {
    return Array.from({ length: count }, (_, nth) => `http://127.0.${1 + Math.floor(nth / 250)}.${1 + (nth % 250)}:${this.port}/hook`);
  }

  /** @param send starts the deliveries and returns a function that stops them @returns the arrivals once all have come */
  async collect(order, send) {
    this.child.send(order);
    await once(this.child, 'message');
    const all = once(this.child, 'message');
    const stop = await send();
    const [{ arrivals }] = await all;
    await stop();
    return arrivals;
  }

  close() {
    this.child.kill();
  }
}

/** The dispatcher as a pod runs it, on a data folder of its own. */
async function withDispatcher(work) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-webhooks-'));
  const bus = await openEventBus(`sqlite:${join(folder, 'events.db')}`, { clock: systemClock, ids, log: silentLogger() });
  const start = async () => {
    const env = { ...process.env, PARLANCE_DATA: folder, EGRESS_ALLOW: '127.0.0.0/8', LOG_LEVEL: 'warn' };
    const child = fork(program('../../bundle/webhook-dispatcher.js'), { env });
    return async () => {
      // A hanging delivery would delay an orderly stop until its time-out.
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
  };
  try {
    return await work({ bus, start });
  } finally {
    await bus.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const BATCH = 500;

async function publish(bus, events) {
  for (let at = 0; at < events.length; at += BATCH) await bus.publish(events.slice(at, at + BATCH));
}

function eventsOf(callbackUrl, accountId) {
  const job = { callbackUrl, accountId, jobId: ids.next('job') };
  return ['job.started', 'job.transcript_ready', 'job.completed'].map((type, nth) => eventOf(type, nth + 1, job));
}

function eventOf(type, sequence, job) {
  const status = type === 'job.completed' ? 'JOB_STATUS_COMPLETED' : 'JOB_STATUS_PROCESSING';
  const data = { ...job, sequence, status, metadata: { source: 'bench' }, progress: undefined, error: undefined, stage: 'STAGE_UNSPECIFIED', occurredAt: new Date(), version: sequence, warnings: [] };
  return { id: ids.next('evt'), type, source: 'bench', time: new Date().toISOString(), key: job.jobId, data };
}

function rateOf(arrivals) {
  const [first] = arrivals;
  const last = arrivals.at(-1);
  return ((arrivals.length - 1) * 1000) / (last[1] - first[1]);
}
