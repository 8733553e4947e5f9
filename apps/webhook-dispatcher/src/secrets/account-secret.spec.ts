import { describe, expect, it } from '@jest/globals';
import { WebhookReceiver } from '@parlance/testing';
import { Webhook } from 'standardwebhooks';
import { DispatcherFixture, TestJob } from '../../test/dispatcher-fixture.js';
import type { WebhookDelivery } from '../deliveries/delivery.js';

const HOUR = 3600 * 1000;

describe("an account's signing secret", () => {
  it('is made when it is first needed, and is then the same for everybody who asks', async () => {
    await using fixture = await DispatcherFixture.open();
    const replicas = [await fixture.replica(), await fixture.replica()];
    const secrets = await Promise.all([...replicas, ...replicas].map(({ secrets }) => secrets.get('acc_1', undefined)));
    expect(new Set(secrets.map(({ secret }) => secret)).size).toBe(1);
    expect(secrets[0]).toEqual({ secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/), previousExpiresAt: undefined, shared: true });
    expect((await replicas[0]!.secrets.get('acc_2', undefined)).secret).not.toBe(secrets[0]!.secret);
  });

  it('signs beside its successor for 24 h after a rotation, and not a moment longer', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    const replica = (await fixture.replica()).start();
    const job = new TestJob('job_1', receiver.url);
    const accepted = async (secret: string, index: number) => {
      await replica.until('job_1', (all) => all.length > index && all.every(({ status }) => status === 'delivered'));
      const { raw, headers } = receiver.received[index]!;
      // The library compares with the real time; the signature is what is asked about here.
      const timestamp = new Date(Number(headers['webhook-timestamp']) * 1000);
      const expected = new Webhook(secret).sign(String(headers['webhook-id']), timestamp, raw);
      return String(headers['webhook-signature']).split(' ').includes(expected);
    };

    const old = await replica.secrets.get('acc_1', undefined);
    const rotated = await replica.secrets.rotate('acc_1', undefined, {});
    expect(rotated.secret).not.toBe(old.secret);
    expect(rotated.previousExpiresAt).toEqual(expect.any(Date));

    fixture.clock.advance(23 * HOUR);
    await replica.intake.announce(job.event('job.started'));
    expect(await accepted(old.secret, 0)).toBe(true);
    expect(await accepted(rotated.secret, 0)).toBe(true);

    fixture.clock.advance(HOUR);
    await replica.intake.announce(job.event('job.completed'));
    expect(await accepted(old.secret, 1)).toBe(false);
    expect(await accepted(rotated.secret, 1)).toBe(true);
    expect((await replica.secrets.get('acc_1', undefined)).previousExpiresAt).toBeUndefined();
  });

  it('signs nothing any more once it is revoked, nor does any before it', async () => {
    await using fixture = await DispatcherFixture.open();
    await using receiver = await WebhookReceiver.start();
    const replica = (await fixture.replica()).start();
    const leaked = [(await replica.secrets.get('acc_1', undefined)).secret, (await replica.secrets.rotate('acc_1', undefined, {})).secret];
    const fresh = await replica.secrets.rotate('acc_1', undefined, { revokePrevious: true });
    expect(fresh.previousExpiresAt).toBeUndefined();
    await replica.intake.announce(new TestJob('job_1', receiver.url).event('job.started'));
    await replica.until('job_1', (all) => all.some(({ status }) => status === 'delivered'));
    const { raw, headers } = receiver.received[0]!;
    const signed = headers as Record<string, string>;
    expect(new Webhook(fresh.secret).verify(raw, signed)).toMatchObject({ type: 'transcription.started' });
    for (const secret of leaked) expect(() => new Webhook(secret).verify(raw, signed)).toThrow('No matching signature');
  });

  it('signs for its 24 h when it is rotated twice, as by somebody who did not get the first answer', async () => {
    await using fixture = await DispatcherFixture.open();
    const { secrets } = await fixture.replica();
    const signing = () => secrets.forDelivery({ accountId: 'acc_1', url: 'https://receiver.example/' } as WebhookDelivery);
    const { secret: first } = await secrets.get('acc_1', undefined);
    const { secret: second } = await secrets.rotate('acc_1', undefined, {});
    fixture.clock.advance(HOUR);
    const { secret: third } = await secrets.rotate('acc_1', undefined, {});
    expect(await signing()).toEqual([third, second, first]);
    fixture.clock.advance(23 * HOUR);
    expect(await signing()).toEqual([third, second]);
    for (let rotations = 0; rotations < 9; rotations++) await secrets.rotate('acc_1', undefined, {});
    expect(await signing()).toHaveLength(5);
  });
});
