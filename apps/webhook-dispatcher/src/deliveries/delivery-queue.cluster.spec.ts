import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { silentLogger, ulidGenerator, type Clock } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { MongoServer, parseMongoUrl } from '@parlance/storage/mongo';
import { openTaskQueue } from '@parlance/task-queue';
import { eventually, WebhookReceiver } from '@parlance/testing';
import { DispatcherFixture, TestJob, type DispatcherStores } from '../../test/dispatcher-fixture.js';

const SERVICE = 'webhook-dispatcher';

/** On the server that MONGODB_URI names. */
async function openServer(clock: Clock): Promise<DispatcherStores> {
  const at = new URL(process.env['MONGODB_URI'] ?? '');
  at.pathname = `/t_${randomBytes(6).toString('hex')}`;
  const log = silentLogger();
  const documents = await openDocumentDatabase(`${at.href}&createIndexes=true`, { clock, ids: ulidGenerator(), log, source: SERVICE });
  return {
    documents,
    openTasks: (times) => openTaskQueue(at.href, { clock, log, times, service: SERVICE, drainMs: times.heartbeatMs < 1000 ? 60_000 : 0 }),
    dispose: async () => {
      await documents.close();
      const server = new MongoServer({ url: parseMongoUrl(at.href), service: SERVICE });
      await server.call((database) => database.dropDatabase());
      await server.close();
    },
  };
}

const open = () => DispatcherFixture.open({}, openServer);
const TYPES = ['job.started', 'job.transcript_ready', 'job.completed'] as const;
const SENT = ['transcription.started', 'transcription.transcript_ready', 'transcription.completed'];

describe('webhooks on MongoDB', () => {
  it('are sent once each and in order by two replicas', async () => {
    await using fixture = await open();
    await using receiver = await WebhookReceiver.start();
    const replicas = [(await fixture.replica()).start(), (await fixture.replica()).start()];
    const jobs = Array.from({ length: 40 }, (_, nth) => new TestJob(`job_${nth}`, receiver.url, `acc_${nth % 5}`));
    await Promise.all(jobs.map(async (job, nth) => {
      for (const type of TYPES) await replicas[nth % 2]!.intake.announce(job.event(type));
    }));
    await eventually('all deliveries', async () => (await replicas[0]!.deliveries.countPending()) === 0);
    expect(jobs.map(({ jobId }) => receiver.typesOf(jobId))).toEqual(jobs.map(() => SENT));
  });

  it('are retried when they are due, and wait while the circuit is open', async () => {
    await using fixture = await open();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(503).end());
    const replica = (await fixture.replica()).start();
    for (let nth = 0; nth < 20; nth += 1) await replica.intake.announce(new TestJob(`job_${nth}`, receiver.url).event('job.started'));
    await eventually('the circuit to open', async () => (await replica.circuits.countOpen()) === 1);
    const tries = receiver.received.length;
    receiver.answer = (_request, response) => response.end();
    await replica.intake.announce(new TestJob('job_later', receiver.url).event('job.started'));
    await replica.idle();
    expect(receiver.received).toHaveLength(tries);
    replica.pass(3600 * 1000);
    await eventually('all deliveries', async () => (await replica.deliveries.countPending()) === 0);
    expect(await replica.circuits.countOpen()).toBe(0);
  });
});
