import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SUBSCRIBABLE_TYPES, type webhook } from '@parlance/contracts';
import type { Document } from '@parlance/storage';
import { eventually, verifyWebhook, WebhookReceiver, type ReceivedWebhook } from '@parlance/testing';
import { Webhook } from 'standardwebhooks';
import { DispatcherFixture, TestJob, type DispatcherReplica } from '../../test/dispatcher-fixture.js';
import { AT_ONCE } from '../deliveries/delivery.js';
import type { WebhookEndpoint } from '../endpoints/webhook-endpoint.js';

const ACCOUNT = 'acc_1';

type Receiver = NonNullable<webhook.ReceiverRef['receiver']>;
const byUrl = (value: string): Receiver => ({ $case: 'url', value });
const byEndpoint = (value: string): Receiver => ({ $case: 'endpointId', value });

describe('a receiver', () => {
  let fixture: DispatcherFixture;
  let replica: DispatcherReplica;
  let a: WebhookReceiver;
  let b: WebhookReceiver;
  let jobs = 0;
  beforeEach(async () => {
    fixture = await DispatcherFixture.open();
    replica = (await fixture.replica()).start();
    a = await WebhookReceiver.start();
    b = await WebhookReceiver.start();
  });
  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
    await Promise.all([a.close(), b.close()]);
  });

  const addEndpoint = (url: string) => replica.endpoints.create(ACCOUNT, { url, eventTypes: [...SUBSCRIBABLE_TYPES], enabled: true });
  /** As it was stored before endpoints had a secret. */
  const addOldEndpoint = async (url: string): Promise<string> => {
    const { id } = await addEndpoint(url);
    const lists = fixture.documents.collection<Document & { endpoints: WebhookEndpoint[] }>({ name: 'webhook_endpoints', indexes: [] });
    await lists.update(ACCOUNT, (current) => current && { document: { ...current, endpoints: current.endpoints.map(({ secret: _secret, ...old }) => old) } });
    return id;
  };
  const secretOf = (receiver: Receiver) => replica.secrets.get(ACCOUNT, receiver);
  const rotate = (receiver: Receiver | undefined, revokePrevious = false) => replica.secrets.rotate(ACCOUNT, receiver, { revokePrevious });
  const accountSecret = async () => (await replica.secrets.get(ACCOUNT, undefined)).secret;
  const announce = async (callbackUrl?: string) => {
    const job = new TestJob(`job_${(jobs += 1)}`, callbackUrl);
    await replica.intake.announce(job.event('job.started'));
    return job.jobId;
  };
  const firstOf = (receiver: WebhookReceiver, jobId: string) => eventually('the webhook', () => receiver.of(jobId)[0]);
  const deliver = async (receiver: WebhookReceiver, callbackUrl?: string) => firstOf(receiver, await announce(callbackUrl));
  const accepts = (secret: string, webhook: ReceivedWebhook): boolean => {
    try {
      verifyWebhook(secret, webhook);
      return true;
    } catch {
      return false;
    }
  };

  /** Each thing that a receiver could send on: the webhooks it got, as they came, and ones that it signs with each secret it knows. */
  function forgeries(got: ReceivedWebhook[], known: string[]): ReceivedWebhook[] {
    const raw = JSON.stringify({ type: 'transcription.completed', timestamp: new Date().toISOString(), data: { job_id: 'job_forged' } });
    const at = new Date();
    const signed = known.map((secret) => {
      const headers = { 'webhook-id': 'evt_forged', 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)), 'webhook-signature': new Webhook(secret).sign('evt_forged', at, raw) };
      return { raw, headers, body: JSON.parse(raw) as ReceivedWebhook['body'] };
    });
    return [...got, ...signed];
  }

  it('with an endpoint makes no event that another endpoint of the account accepts, nor one of its callbacks', async () => {
    const [own, other] = [await addEndpoint(a.url), await addEndpoint(b.url)];
    const jobId = await announce();
    const [gotByA, gotByB] = [await firstOf(a, jobId), await firstOf(b, jobId)];
    const known = own.secret.secret;
    expect([accepts(known, gotByA), accepts(other.secret.secret, gotByB)]).toEqual([true, true]);
    const sent = forgeries([gotByA], [known]);
    expect(sent).toHaveLength(2);
    expect(sent.map((forged) => accepts(known, forged))).toEqual([true, true]);
    for (const secret of [other.secret.secret, await accountSecret()]) expect(sent.map((forged) => accepts(secret, forged))).toEqual([false, false]);
  });

  it('of callbacks makes none that one at another origin accepts, once each has its own secret', async () => {
    const [own, other] = [await rotate(byUrl(a.url), true), await rotate(byUrl(b.url), true)];
    const [gotByA, gotByB] = [await deliver(a, a.url), await deliver(b, b.url)];
    expect([accepts(own.secret, gotByA), accepts(other.secret, gotByB)]).toEqual([true, true]);
    const sent = forgeries([gotByA], [own.secret]);
    for (const secret of [other.secret, await accountSecret()]) expect(sent.map((forged) => accepts(secret, forged))).toEqual([false, false]);
    // A receiver that knows the account's secret cannot forge to those with their own either.
    for (const secret of [own.secret, other.secret]) expect(forgeries([], [await accountSecret()]).map((forged) => accepts(secret, forged))).toEqual([false]);
  });

  it('of callbacks is verified with the account’s secret until its origin gets one, and then with both for 24 h', async () => {
    const account = await accountSecret();
    expect(await secretOf(byUrl(a.url))).toEqual({ secret: account, previousExpiresAt: undefined, shared: true });
    expect(accepts(account, await deliver(a, a.url))).toBe(true);
    const own = await rotate(byUrl(`${a.url}/any/path?of=it`));
    expect(own).toEqual({ secret: expect.stringMatching(/^whsec_/), previousExpiresAt: expect.any(Date), shared: false });
    expect(await secretOf(byUrl(a.url))).toEqual(own);
    const both = await deliver(a, a.url);
    expect([account, own.secret].map((secret) => accepts(secret, both))).toEqual([true, true]);
    expect(accepts(account, await deliver(b, b.url))).toBe(true);

    const fresh = await rotate(byUrl(a.url), true);
    const webhook = await deliver(a, a.url);
    expect([account, own.secret, fresh.secret].map((secret) => accepts(secret, webhook))).toEqual([false, false, true]);
  });

  it('whose endpoint is from before keeps the account’s secret until its first rotation', async () => {
    const id = await addOldEndpoint(a.url);
    const account = await accountSecret();
    expect(await secretOf(byEndpoint(id))).toMatchObject({ secret: account, shared: true });
    expect(accepts(account, await deliver(a))).toBe(true);
    const own = await rotate(byEndpoint(id));
    const both = await deliver(a);
    expect([account, own.secret].map((secret) => accepts(secret, both))).toEqual([true, true]);
    fixture.clock.advance(24 * 3600 * 1000);
    expect(await secretOf(byEndpoint(id))).toEqual({ secret: own.secret, previousExpiresAt: undefined, shared: false });
    // The library compares with the real time; the signatures are what is asked about here.
    const later = await deliver(a);
    expect(String(later.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  it('keeps no secret of the account that was revoked, though it shared it in the last 24 h', async () => {
    const id = await addOldEndpoint(a.url);
    const leaked = await accountSecret();
    await rotate(byEndpoint(id));
    await rotate(undefined, true);
    expect(accepts(leaked, await deliver(a))).toBe(false);
  });

  it('whose endpoint’s secret leaked accepts nothing from it after one rotation, and others keep theirs', async () => {
    const [{ id, secret: leaked }, other] = [await addEndpoint(a.url), await addEndpoint(b.url)];
    const fresh = await rotate(byEndpoint(id), true);
    const jobId = await announce();
    const webhook = await firstOf(a, jobId);
    expect([leaked.secret, fresh.secret].map((secret) => accepts(secret, webhook))).toEqual([false, true]);
    expect(accepts(other.secret.secret, await firstOf(b, jobId))).toBe(true);
  });

  it('gets tests, redeliveries and what its endpoint’s former address missed signed with the endpoint’s present secret', async () => {
    a.answer = (_request, response) => response.writeHead(500).end();
    const { id, secret } = await addEndpoint(a.url);
    await replica.intake.test(ACCOUNT, await replica.endpoints.get(ACCOUNT, id));
    expect(accepts(secret.secret, await eventually('the test', () => a.received[0]))).toBe(true);
    const jobId = await announce();
    const [failed] = await replica.until(jobId, ([first]) => first?.tries === 1);

    const fresh = await rotate(byEndpoint(id), true);
    await replica.endpoints.change(ACCOUNT, id, { url: b.url });
    await replica.redeliver(failed!.id, AT_ONCE);
    const webhook = await firstOf(b, jobId);
    expect([secret.secret, fresh.secret].map((each) => accepts(each, webhook))).toEqual([false, true]);
  });

  it('that is an endpoint and a job’s callback gets one webhook that either secret verifies, and at another address the endpoint’s alone', async () => {
    a.answer = (_request, response) => response.writeHead(500).end();
    const { id, secret } = await addEndpoint(a.url);
    const jobId = await announce(a.url);
    const webhook = await firstOf(a, jobId);
    expect([secret.secret, await accountSecret()].map((each) => accepts(each, webhook))).toEqual([true, true]);
    const [failed] = await replica.until(jobId, ([first]) => first?.tries === 1);

    await replica.endpoints.change(ACCOUNT, id, { url: b.url });
    await replica.redeliver(failed!.id, AT_ONCE);
    const moved = await firstOf(b, jobId);
    expect([secret.secret, await accountSecret()].map((each) => accepts(each, moved))).toEqual([true, false]);
  });

  it('whose endpoint was deleted gets nothing more, since nothing is left to sign with', async () => {
    const { id } = await addEndpoint(a.url);
    const jobId = await announce();
    await firstOf(a, jobId);
    const [delivered] = await replica.until(jobId, ([first]) => first?.status === 'delivered');
    await replica.endpoints.delete(ACCOUNT, id);
    await replica.redeliver(delivered!.id, AT_ONCE);
    const [refused] = await replica.until(jobId, ([first]) => first?.status === 'failed');
    expect(refused!.attempts.at(-1)).toMatchObject({ error: expect.stringContaining('deleted') });
    expect(a.received).toHaveLength(1);
  });

  it('has no secret that is another account’s, and none for what is not an address', async () => {
    const { id } = await addEndpoint(a.url);
    await rotate(byUrl(a.url));
    const foreign = await replica.secrets.get('acc_2', byUrl(a.url));
    expect(foreign).toMatchObject({ shared: true, secret: (await replica.secrets.get('acc_2', undefined)).secret });
    await expect(replica.secrets.get('acc_2', byEndpoint(id))).rejects.toMatchObject({ code: 'not_found' });
    await expect(replica.secrets.rotate('acc_2', byEndpoint(id), {})).rejects.toMatchObject({ code: 'not_found' });
    for (const url of ['nonsense', 'ftp://example.org/', 'data:,a']) await expect(rotate(byUrl(url))).rejects.toMatchObject({ code: 'invalid_url' });
  });
});
