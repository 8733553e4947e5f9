import { describe, expect, it } from '@jest/globals';
import type { Egress } from '@parlance/egress';
import { silentLogger } from '@parlance/platform';
import type { WebhookDelivery } from '../deliveries/delivery.js';
import type { DispatcherSettings } from '../webhook-dispatcher.config.js';
import type { ReceiverSecrets } from '../secrets/receiver-secrets.js';
import { newSecret } from '../secrets/signing-secret.js';
import type { ReceiverOptions } from './receiver-options.js';
import type { WebhookContents } from './webhook-contents.js';
import { WebhookSender } from './webhook-sender.js';

describe('a webhook attempt that gets no answer', () => {
  it.each(['EMFILE', 'ENFILE', 'ENOMEM'])('is none of the receiver when this process has run out: %s', async (code) => {
    await expect(attempt(code)).rejects.toMatchObject({ cause: { code } });
  });

  it.each(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT'])('counts as a failure of the receiver: %s', async (code) => {
    await expect(attempt(code)).resolves.toMatchObject({ outcome: 'retry' });
  });
});

/** @param code of the error that the connection ends with */
function attempt(code: string) {
  const exchange = () => Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(`connect ${code}`), { code }) }));
  const egress = { exchange } as unknown as Egress;
  const secrets = { forDelivery: () => Promise.resolve([newSecret()]) } as unknown as ReceiverSecrets;
  const options = { forDelivery: () => Promise.resolve({ headers: {}, include: [] }) } as unknown as ReceiverOptions;
  const contents = { send: (_delivery: unknown, _include: unknown, _signal: unknown, send: (body: string) => unknown) => send('{}') } as unknown as WebhookContents;
  const settings = { timeoutMs: 5000 } as DispatcherSettings;
  const sender = new WebhookSender(egress, secrets, options, contents, settings, { now: () => new Date('2026-03-02T09:30:00Z') }, silentLogger());
  return sender.send(DELIVERY, new AbortController().signal);
}

const DELIVERY = { id: 'dlv_1', accountId: 'acc_1', eventId: 'evt_1', eventType: 'job.completed', url: 'https://receiver.example/hook', body: '{}', attempts: [], tries: 0 } as unknown as WebhookDelivery;
