// Publishes to topics of its own, runs examples/python-consumer and looks at what it prints and keeps. PYTHON, SCRATCH, KAFKA_BROKERS.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import kafkajs from 'kafkajs';
import { PUBLIC_EVENT_TYPES, PUBLIC_EVENTS, TOPICS } from '../libs/contracts/dist/index.js';
import { openEventBus, stampEvent } from '../libs/event-bus/dist/index.js';
import { kafkaClient, parseKafkaUrl, topicSpecs } from '../libs/event-bus/dist/kafka/index.js';
import { silentLogger, systemClock, ulidGenerator } from '../libs/platform/dist/index.js';

const { PYTHON, SCRATCH, KAFKA_BROKERS } = process.env;
/** A guard against hanging, far above what it takes. */
const WITHIN_MS = 120_000;
const prefix = `ci-${randomBytes(4).toString('hex')}.`;
const url = `kafka://${KAFKA_BROKERS}?topic-prefix=${prefix}`;
const client = kafkaClient(parseKafkaUrl(url), silentLogger());
const ids = ulidGenerator();
const JOB = PUBLIC_EVENTS['job.created'].example.jobId;

const example = (type) => stampEvent({ type, data: PUBLIC_EVENTS[type].example }, { clock: systemClock, ids, source: PUBLIC_EVENTS[type].source });
/** Every public type of jobs, which is what the example reads (usage is for billing systems, and batches have a topic of their own); what ends the job's data comes last. */
const examples = () => PUBLIC_EVENT_TYPES.filter((type) => type !== 'job.deleted' && type !== 'usage.recorded' && type !== 'batch.completed').map(example);

/** A run of the consumer: its lines, one event each. */
class ConsumerRun {
  lines = [];
  problems = '';

  constructor(group, state) {
    const env = { PATH: process.env.PATH, KAFKA_BROKERS, TOPIC_PREFIX: prefix, KAFKA_GROUP_ID: `${prefix}${group}`, STATE: join(SCRATCH, state) };
    this.process = spawn(PYTHON, ['examples/python-consumer/consumer.py'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.ended = once(this.process, 'close');
    this.process.stderr.on('data', (text) => (this.problems += text));
    this.output = createInterface({ input: this.process.stdout });
    this.output.on('line', (line) => this.lines.push(JSON.parse(line)));
  }

  get ids() {
    return this.lines.map(({ id }) => id);
  }

  async until(holds) {
    const signal = AbortSignal.timeout(WITHIN_MS);
    while (!holds(this.ids)) {
      const ended = this.ended.then(([code]) => assert.fail(`the consumer ended with ${code}: ${this.problems}`));
      await Promise.race([once(this.output, 'line', { signal }), ended]);
    }
  }

  /** @returns the exit code; null after SIGKILL */
  async end(signal = 'SIGTERM') {
    this.process.kill(signal);
    return (await this.ended)[0];
  }
}

const has = (wanted) => (seen) => wanted.every(({ id }) => seen.includes(id));
const idsOf = (events) => events.map(({ id }) => id);
const kept = (state, query) => {
  const database = new DatabaseSync(join(SCRATCH, state), { readOnly: true, timeout: 5000 });
  try {
    return database.prepare(query).all().map((row) => ({ ...row }));
  } finally {
    database.close();
  }
};

async function sendRaw(messages) {
  const producer = client.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({ topic: `${prefix}parlance.jobs.v1`, messages: messages.map((message) => ({ key: JOB, ...message })) });
  await producer.disconnect();
}


const newerHeaders = (id, type, more = {}) => ({
  ce_specversion: '1.0', ce_id: id, ce_type: type, ce_source: 'ingest', ce_time: '2026-03-02T09:30:00Z', ce_partitionkey: JOB, 'content-type': 'application/json', ...more,
});

let passed = 0;
let failed = 0;
async function check(name, work) {
  try {
    await work();
    passed += 1;
    console.log(`ok   ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}\n${error.stack}`);
  }
}

let bus;
const published = examples();
try {
  await check('parlance-admin makes the topics', () => {
    const made = spawnSync(process.execPath, ['bundle/parlance-admin.js', 'topics'], { env: { PATH: process.env.PATH, EVENT_BUS_URL: url, PARLANCE_DATA: SCRATCH }, encoding: 'utf8' });
    assert.equal(made.status, 0, made.stderr);
  });
  bus = await openEventBus(url, { clock: systemClock, log: silentLogger() });

  await check('every public event is printed once, in order for its job, though each lies in the topic twice', async () => {
    await bus.publish([...published, ...published]);
    const last = example('job.progressed');
    await bus.publish([last]);
    published.push(last);
    const run = new ConsumerRun('team.first', 'first.db');
    await run.until(has(published));
    assert.equal(await run.end(), 0, run.problems);
    assert.deepEqual(run.ids.toSorted(), idsOf(published).toSorted());
    const ofJobs = (events, type) => events.filter((event) => event[type].startsWith('job.')).map(({ id }) => id);
    assert.deepEqual(ofJobs(run.lines, 'type'), ofJobs(published, 'type'));
    assert.equal(run.problems, '');
    assert.deepEqual(kept('first.db', 'SELECT * FROM jobs'), [{ id: JOB, status: 'JOB_STATUS_PROCESSING' }]);
  });

  await check('started again, it goes on where it was', async () => {
    const next = example('job.progressed');
    await bus.publish([next]);
    published.push(next);
    const run = new ConsumerRun('team.first', 'first.db');
    await run.until(has([next]));
    assert.equal(await run.end(), 0, run.problems);
    assert.deepEqual(run.ids, [next.id]);
  });

  await check('delivered everything once more, it prints only what is new', async () => {
    const next = example('job.progressed');
    await bus.publish([next]);
    published.push(next);
    const run = new ConsumerRun('team.again', 'first.db');
    await run.until(has([next]));
    assert.equal(await run.end(), 0, run.problems);
    assert.deepEqual(run.ids, [next.id]);
  });

  await check('killed in the middle, it handles the rest, and nothing twice', async () => {
    const killed = new ConsumerRun('team.killed', 'killed.db');
    await killed.until((seen) => seen.length > 0);
    assert.equal(await killed.end('SIGKILL'), null);
    const next = example('job.progressed');
    await bus.publish([next]);
    published.push(next);
    const run = new ConsumerRun('team.killed', 'killed.db');
    await run.until(has([next]));
    const handled = () => kept('killed.db', 'SELECT id FROM handled').map(({ id }) => id);
    // Events of the other topic may come later than the last of this one.
    await run.until(() => has(published)(handled()));
    assert.equal(await run.end(), 0, run.problems);
    assert.deepEqual(handled().toSorted(), idsOf(published).toSorted());
    const printed = [...killed.ids, ...run.ids];
    assert.equal(new Set(printed).size, printed.length);
  });

  await check('events of newer schemas are taken, what cannot be read and replays for others are left', async () => {
    const newer = { jobId: JOB, status: 'JOB_STATUS_PAUSED', inventedLater: { deep: [1] } };
    await sendRaw([
      { value: '{}', headers: {} },
      { value: '{"jobId": "torn', headers: newerHeaders('evt_torn', 'job.progressed') },
      { value: '[1]', headers: newerHeaders('evt_list', 'job.progressed') },
      { value: '{}', headers: { ...newerHeaders('evt_time', 'job.progressed'), ce_time: 'yesterday' } },
      { value: '{}', headers: { ce_specversion: '1.0' } },
      { value: JSON.stringify(newer), headers: newerHeaders('evt_replay', 'job.progressed', { ce_replayfor: 'ingest' }) },
      { value: '{"nobody": "knows"}', headers: newerHeaders('evt_type', 'job.reinvented') },
      { value: JSON.stringify(newer), headers: newerHeaders('evt_fields', 'job.progressed', { ce_newattribute: 'x' }) },
    ]);
    const run = new ConsumerRun('team.first', 'first.db');
    await run.until(has([{ id: 'evt_fields' }]));
    assert.equal(await run.end(), 0, run.problems);
    assert.deepEqual(run.ids.filter((id) => id.startsWith('evt_') && !idsOf(published).includes(id)), ['evt_type', 'evt_fields']);
    assert.equal(run.problems.match(/^unreadable: /gm)?.length, 5, run.problems);
    assert.deepEqual(kept('first.db', 'SELECT status FROM jobs'), [{ status: 'JOB_STATUS_PAUSED' }]);
  });

  await check('job.deleted deletes its copy', async () => {
    const deleted = example('job.deleted');
    await bus.publish([deleted]);
    const run = new ConsumerRun('team.first', 'first.db');
    await run.until(has([deleted]));
    assert.equal(await run.end(), 0, run.problems);
    assert.deepEqual(kept('first.db', 'SELECT * FROM jobs'), []);
  });
} finally {
  await bus?.close();
  const admin = client.admin();
  await admin.connect();
  const present = new Set(await admin.listTopics());
  await admin.deleteTopics({ topics: topicSpecs(TOPICS, prefix).map(({ name }) => name).filter((name) => present.has(name)) });
  await admin.disconnect();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
