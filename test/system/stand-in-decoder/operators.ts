import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventBus, OutboxEvent } from '@parlance/event-bus';
import { jobCollection } from '@parlance/ingest/jobs';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openOwnKeys } from '@parlance/runtime/open-keys';
import { installedKeyProvider } from '../../../apps/standalone/src/master-keys.js';
import { openBus, openDocuments, portUrls } from '@parlance/runtime/open-ports';
import { eventually, type FakeDecoder, NO_ADD_ONS, runAdmin, SAMPLES, WebhookReceiver, type Parlance } from '@parlance/testing';
import { product, standInDecoder } from './product.js';

interface Letter {
  id: string;
  reason: string;
  event: { id: string };
}

const HOUR_MS = 60 * 60_000;
const dependencies = { clock: systemClock, ids: ulidGenerator(), log: silentLogger() };

function killIfRunning(pid: number): void {
  try {
    process.kill(pid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** `parlance-admin` beside the servers, and what its changes are to their callers. */
describe('an operator', () => {
  let parlance: Parlance;
  let decoder: FakeDecoder;
  let receiver: WebhookReceiver;
  const opened = new AsyncDisposableStack();
  beforeAll(async () => {
    decoder = await standInDecoder();
    receiver = opened.use(await WebhookReceiver.start());
    parlance = await product();
  });
  afterAll(() => opened.disposeAsync());

  const admin = async <T>(...args: string[]): Promise<T> => JSON.parse(await runAdmin(parlance.settings, ...args, '--json')) as T;
  const ports = () => portUrls({ PARLANCE_DATA: '.', ...parlance.settings });
  const keyProvider = () => installedKeyProvider({ PARLANCE_DATA: '.', ...parlance.settings });
  const statusOf = async (apiKey: string) => (await parlance.api.as(apiKey).request('GET', '/account')).status;
  /** Every gateway has heard of it. */
  const everywhere = (status: number, apiKey: string) =>
    eventually(`${status} at every gateway`, async () => (await Promise.all([1, 2, 3, 4].map(() => statusOf(apiKey)))).every((answered) => answered === status));

  it('makes, moves, disables and enables accounts', async () => {
    const made = await admin<{ account_id: string; api_key: string }>('accounts', 'create', '--organization', 'Engines', '--plan', 'tiny');
    expect(await parlance.api.as(made.api_key).json('/account')).toMatchObject({ plan: 'tiny', free_seconds: 60 });
    const [newest] = await admin<object[]>('accounts', 'list');
    expect(newest).toMatchObject({ account_id: made.account_id, organization: 'Engines' });
    await admin('accounts', 'plan', made.account_id, 'unlimited');
    await eventually('the other plan', async () => (await parlance.api.as(made.api_key).json<{ plan: string }>('/account')).plan === 'unlimited');
    await admin('accounts', 'disable', made.account_id, '--reason', 'did not pay');
    await everywhere(403, made.api_key);
    expect(await admin('accounts', 'show', made.account_id)).toMatchObject({ plan: 'unlimited', disabled_reason: 'did not pay', keys: [{ name: 'first key' }] });
    await admin('accounts', 'enable', made.account_id);
    await everywhere(200, made.api_key);
  });

  it('makes, rotates and revokes keys', async () => {
    const { account_id: account } = await admin<{ account_id: string }>('accounts', 'create');
    const made = await admin<{ key_id: string; api_key: string }>('keys', 'create', account, '--name', 'reader', '--scopes', 'transcriptions:read');
    const rotated = await admin<{ key_id: string; api_key: string }>('keys', 'rotate', made.key_id, '--overlap', '600');
    expect([await statusOf(made.api_key), await statusOf(rotated.api_key)]).toEqual([200, 200]);
    await admin('keys', 'revoke', rotated.key_id);
    await everywhere(401, rotated.api_key);
    const listed = await admin<{ name: string }[]>('keys', 'list', account);
    expect(listed.map(({ name }) => name)).toEqual(['reader', 'first key']);
  });

  it('finds a job that is stuck, ends it, has it done again, and sends the manage webhooks that were given up', async () => {
    receiver.answer = (_request, response) => void response.writeHead(204).end();
    await decoder.fail('hang');
    const { api } = parlance;
    const jobId = await api.upload(SAMPLES.reading.path, { ...NO_ADD_ONS, callback_url: receiver.url });
    await eventually('the engine to hang', async () => (await decoder.calls()).length > 0);
    // The start of its stage may still be on its way, and is a change.
    const [stuck] = await eventually('a job that is stuck', async () => {
      await age(jobId);
      const all = await admin<object[]>('jobs', 'stuck', '--minutes', '30');
      return all.length > 0 && all;
    });
    expect(stuck).toMatchObject({ job_id: jobId, stage: 'transcription', cause: expect.stringContaining('0 of 1 chunks') });

    expect(await admin('jobs', 'stuck', '--fail', jobId)).toMatchObject({ failed: jobId, status: 'failed' });
    expect(await api.terminal(jobId)).toMatchObject({ status: 'failed', error: { code: 'internal', retryable: true } });
    await decoder.mend();
    // Only the last event fails: failures over a longer time open the circuit of the receiver, and its deliveries wait.
    receiver.answer = (_request, response, { body }) => void response.writeHead(body.type === 'transcription.completed' ? 500 : 204).end();
    expect(await admin('jobs', 'stuck', '--retry', jobId)).toMatchObject({ retried: jobId, run: 2 });
    // Ends the programs of the first run that still run. The second run may have begun others, which are not affected.
    for (const { pid, name } of await parlance.programs()) if (name === 'sleep') killIfRunning(pid);
    expect(await api.terminal(jobId)).toMatchObject({ status: 'completed', transcript: { text: expect.stringMatching(/spoken/i) } });

    const givenUp = () => admin<{ event_type: string; error: string }[]>('webhooks', 'failed', '--job', jobId);
    await eventually('the last webhook to be given up', async () => (await givenUp()).some(({ event_type: type }) => type === 'transcription.completed'));
    const failed = await givenUp();
    expect(new Set(failed.map(({ error }) => error))).toEqual(new Set([expect.stringContaining('500')]));
    receiver.answer = (_request, response) => void response.writeHead(204).end();
    expect(await admin('webhooks', 'resend', '--job', jobId)).toEqual({ resent: failed.length });
    await eventually('all to be delivered', async () => (await api.deliveries(jobId)).every(({ status }) => status === 'delivered'));
  });

  describe('with an event that a service could not handle, or that the bus did not take', () => {
    const heard: OutboxEvent[] = [];
    let bus: EventBus;
    let jobId: string;
    beforeAll(async () => {
      bus = await openBus(ports(), dependencies);
      opened.defer(() => bus.close());
      let isBroken = true;
      const handle = async ({ event }: { event: OutboxEvent }) => {
        if (isBroken) {
          isBroken = false;
          throw new Error('The warehouse is away.');
        }
        heard.push(event);
      };
      await bus.subscribe({ group: 'warehouse', topic: 'parlance.jobs.v1', retry: { maxAttempts: 1, initialDelayMs: 1, maxDelayMs: 1 }, handlers: { 'job.completed': handle } });
      jobId = await parlance.api.upload(SAMPLES.reading.path, NO_ADD_ONS);
      await parlance.api.terminal(jobId);
    });
    const letters = () => admin<Letter[]>('dead-letters', 'list', '--group', 'warehouse');

    it('delivers it once more when its cause is mended', async () => {
      const [letter] = await eventually('a dead letter', async () => (await letters()).length > 0 && letters());
      expect(letter).toMatchObject({ topic: 'parlance.jobs.v1', reason: expect.stringContaining('The warehouse is away.'), event: { type: 'job.completed' } });
      expect(await admin('dead-letters', 'show', letter?.id ?? '')).toEqual(letter);
      expect(await admin('dead-letters', 'replay', letter?.id ?? '')).toEqual({ replayed: [letter?.id] });
      await eventually('the event', () => heard.some(({ id }) => id === letter?.event.id));
      expect(await letters()).toEqual([]);
    });

    it('publishes it when its cause is mended, or forgets it', async () => {
      const [event] = heard as [OutboxEvent];
      const { outbox, close } = await ingest();
      try {
        for (const id of [event.id, `${event.id}_2`]) await outbox.setAside({ ...event, id }, 'event_too_large: Too large.');
      } finally {
        await close();
      }
      const refused = () => admin<{ id: string; service: string; reason: string }[]>('refused', 'list');
      expect(await refused()).toMatchObject([event.id, `${event.id}_2`].map((id) => ({ id, service: 'ingest', reason: 'event_too_large: Too large.' })));
      const before = heard.length;
      expect(await admin('refused', 'replay', event.id)).toEqual({ replayed: [event.id] });
      await eventually('the event', () => heard.length > before);
      expect(await admin('refused', 'drop', '--all')).toEqual({ dropped: [`${event.id}_2`] });
      expect(await refused()).toEqual([]);
    });
  });

  /** The documents of ingest, as one of its processes has them. */
  async function ingest() {
    const provider = keyProvider();
    const opened = provider === undefined ? undefined : await openOwnKeys(ports(), provider, dependencies);
    const documents = await openDocuments(ports(), 'ingest', dependencies, opened?.keys);
    const close = async () => {
      await documents.close();
      await opened?.close();
    };
    return { jobs: documents.collection(jobCollection), outbox: documents.outbox, close };
  }

  /** As if the job had last changed an hour ago. */
  async function age(id: string): Promise<void> {
    const { jobs, close } = await ingest();
    const updatedAt = new Date(Date.now() - HOUR_MS).toISOString();
    try {
      await jobs.update(id, (job) => job && { document: { ...job, updatedAt } });
    } finally {
      await close();
    }
  }
});
