import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chanceFor } from '@parlance/platform/contract';
import { eventually, SAMPLES, TIME_FACTOR, WebhookReceiver, type JobAnswer } from '@parlance/testing';
import { ParlanceCluster } from '@parlance/testing/cluster';
import { atAnyGateway } from './any-gateway.js';

const JOBS = 50;
/** Jobs that a client has under way. */
const ABREAST = 10;
const WORKERS = 2;
/** Fewer say little. */
const MIN_KILLS = 3;
const EVENTS = ['transcription.started', 'transcription.transcript_ready', 'transcription.completed'];
const TERMINAL_WITHIN_MS = 300_000;
/** A killed process's place in a group, its outbox and its leases are others' after some time each. */
const DELIVERED_WITHIN_MS = 300_000;

let cluster: ParlanceCluster;
let receiver: WebhookReceiver;
let folder: string;
let callLog: string;

const opened = new AsyncDisposableStack();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-replicas-'));
  opened.defer(() => rm(folder, { recursive: true }));
  callLog = join(folder, 'calls');
  await writeFile(callLog, '');
  receiver = opened.use(await WebhookReceiver.start());
  const env = {
    SPEECH_ENGINE_URL: `fixture:?${new URLSearchParams({ delayMs: '100', parallelism: String(WORKERS), callLog })}`,
    CHUNK_IDEAL_SECONDS: '5',
    CHUNK_MAX_SECONDS: '10',
    WEBHOOK_TIMEOUT_SECONDS: '1',
    WEBHOOK_RETRY_SCHEDULE: Array.from({ length: 30 }, () => 1).join(','),
  };
  cluster = opened.use(await ParlanceCluster.start({ replicas: 2, env }));
});
afterAll(() => opened.disposeAsync());

/** The same seed kills the same processes, one after the other. */
const { random } = chanceFor('replicas');
const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

/** Work that goes on beside the test. */
function underWay<T>(result: Promise<T>): { result: Promise<T>; readonly isUnderWay: boolean } {
  const work = { result, isUnderWay: true };
  const end = () => void (work.isUnderWay = false);
  result.then(end, end);
  return work;
}

async function restartAll(): Promise<void> {
  for (const process of cluster.processes) await cluster.replace(process, 'SIGTERM');
}

const calls = async (): Promise<number> => (await readFile(callLog, 'utf8')).split('\n').length - 1;

/** Posts the jobs, a few abreast, and waits for the end of each. @returns in the order of posts */
async function runJobs(count: number, prefix: string): Promise<JobAnswer[]> {
  const jobs: JobAnswer[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    for (let mine = next++; mine < count; mine = next++) {
      const key = { 'idempotency-key': `${prefix}-${mine}` };
      const jobId = await atAnyGateway(cluster, (api) => api.upload(SAMPLES.meeting.path, { callback_url: receiver.url }, key));
      jobs[mine] = await atAnyGateway(cluster, (api) => api.terminal(jobId, TERMINAL_WITHIN_MS));
    }
  };
  await Promise.all(Array.from({ length: ABREAST }, client));
  return jobs;
}

async function expectOneDeliveryEach(jobs: readonly JobAnswer[]): Promise<void> {
  for (const { job_id: jobId } of jobs) {
    let seen: string[] = [];
    const isDone = async () => {
      seen = (await cluster.api.deliveries(jobId)).map(({ event_type: type, status }) => `${type} ${status}`).toSorted();
      return seen.length === EVENTS.length && seen.every((delivery) => delivery.endsWith(' delivered'));
    };
    // What it is instead says more than that it was waited for.
    await eventually(`the webhooks of ${jobId}`, isDone, DELIVERED_WITHIN_MS, 250).catch(() => {});
    expect([jobId, ...seen]).toEqual([jobId, ...EVENTS.map((type) => `${type} delivered`).toSorted()]);
    for (const type of EVENTS) {
      const ids = receiver.of(jobId).filter(({ body }) => body.type === type).map(({ headers }) => headers['webhook-id']);
      expect([type, new Set(ids).size]).toEqual([type, 1]);
    }
  }
}

describe('two processes of each service', () => {
  it(`lose nothing of ${JOBS} jobs when one after the other is killed with -9`, async () => {
    const [undisturbed] = await runJobs(1, 'undisturbed');
    const chunks = await calls();
    const killed: string[] = [];
    const jobs: JobAnswer[] = [];
    // Again when the jobs are done before processes have been replaced often enough, which a busy machine takes a minute for.
    for (let times = 0; killed.length < MIN_KILLS; times += 1) {
      const work = underWay(runJobs(JOBS, `killed-${times}`));
      while (work.isUnderWay) {
        const victim = oneOf(cluster.processes);
        killed.push(victim.service);
        await cluster.replace(victim, 'SIGKILL');
      }
      jobs.push(...(await work.result));
    }
    const redone = (await calls()) - (jobs.length + 1) * chunks;
    process.stdout.write(`killed ${killed.join(', ')}; ${redone} chunks done again\n`);

    for (const job of jobs) {
      expect([job.job_id, job.status, job.error]).toEqual([job.job_id, 'completed', undefined]);
      expect(job.transcript).toEqual(undisturbed?.transcript);
    }
    expect(new Set(jobs.map(({ job_id: jobId }) => jobId)).size).toBe(jobs.length);
    // What the killed process had under way, and what the other one had of the partitions that go back when it is there again; never a file.
    // A worker that stands still for the ten seconds of a lease would redo more without a fault.
    expect(redone).toBeLessThanOrEqual(killed.length * 2 * WORKERS);
    await expectOneDeliveryEach(jobs);
  }, 1_800_000 * TIME_FACTOR);

  it('are restarted one by one under load without a failed call of a client that tries again', async () => {
    const rolling = underWay(restartAll());
    const jobs: JobAnswer[] = [];
    for (let round = 0; rolling.isUnderWay; round += 1) jobs.push(...(await runJobs(2, `rolled-${round}`)));
    await rolling.result;
    expect(jobs.map(({ status }) => status)).toEqual(jobs.map(() => 'completed'));
    await expectOneDeliveryEach(jobs);
    expect(await cluster.log()).not.toMatch(/"level":"fatal"/);
  }, 1_800_000 * TIME_FACTOR);
});
