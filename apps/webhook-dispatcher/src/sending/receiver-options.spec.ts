import { describe, expect, it } from '@jest/globals';
import { newSecretsKey, SecretBox } from '@parlance/platform';
import { eventually, WebhookReceiver } from '@parlance/testing';
import { DispatcherFixture, TestJob } from '../../test/dispatcher-fixture.js';

const secrets = SecretBox.of({ SECRETS_KEY: newSecretsKey() })!;
const sealed = (headers: object, owner: string, box = secrets) => box.seal(JSON.stringify(headers), `acc_1/${owner}`);

describe('the headers of a receiver', () => {
  it('are sent with each webhook of a job, beside those of Standard Webhooks, which they cannot replace', async () => {
    await using fixture = await DispatcherFixture.open({ secrets });
    await using receiver = await WebhookReceiver.start();
    const replica = (await fixture.replica()).start();
    const job = new TestJob('job_1', receiver.url, 'acc_1', sealed({ Authorization: 'Bearer hush', 'Webhook-Id': 'forged' }, 'job_1'));
    await replica.intake.announce(job.event('job.started'));
    await replica.intake.announce(job.event('job.completed'));
    await replica.until('job_1', (all) => all.length === 2 && all.every(({ status }) => status === 'delivered'));
    expect(receiver.received.map(({ headers }) => [headers['authorization'], headers['webhook-id']])).toEqual([['Bearer hush', 'evt_job_1_1'], ['Bearer hush', 'evt_job_1_2']]);
    expect(JSON.stringify(await replica.of('job_1'))).not.toContain('hush');
  });

  it('are those of the endpoint as it is now, and stay at its origin', async () => {
    await using fixture = await DispatcherFixture.open({ secrets });
    await using receiver = await WebhookReceiver.start();
    await using other = await WebhookReceiver.start();
    const replica = (await fixture.replica()).start();
    const headers = (value: string) => ({ names: ['X-Key'], sealed: sealed({ 'X-Key': value }, 'whe_1') });
    await replica.endpoints.create('acc_1', { url: receiver.url, eventTypes: ['transcription.started'], enabled: true, headers: headers('first') }, 'whe_1');
    const keyOf = async (jobId: string, of = receiver) => {
      await replica.intake.announce(new TestJob(jobId, undefined).event('job.started'));
      return (await eventually('the webhook', () => of.of(jobId)[0])).headers['x-key'];
    };
    expect(await keyOf('job_1')).toBe('first');
    await replica.endpoints.change('acc_1', 'whe_1', { headers: headers('second') });
    expect(await keyOf('job_2')).toBe('second');
    await replica.endpoints.change('acc_1', 'whe_1', { url: other.url });
    expect(await keyOf('job_3', other)).toBeUndefined();
  });

  it('are not sent after a redirect', async () => {
    await using fixture = await DispatcherFixture.open({ secrets });
    await using elsewhere = await WebhookReceiver.start();
    await using receiver = await WebhookReceiver.start((_request, response) => response.writeHead(307, { location: elsewhere.url }).end());
    const replica = (await fixture.replica()).start();
    await replica.intake.announce(new TestJob('job_1', receiver.url, 'acc_1', sealed({ 'X-Key': '1' }, 'job_1')).event('job.started'));
    await replica.until('job_1', ([first]) => first?.tries === 1);
    expect([receiver.received.length, elsewhere.received.length]).toEqual([1, 0]);
  });

  it.each([
    ['with another key', sealed({ 'X-Key': '1' }, 'job_1', SecretBox.of({ SECRETS_KEY: newSecretsKey() })!)],
    ['for another job', sealed({ 'X-Key': '1' }, 'job_2')],
  ])('that were sealed %s keep the webhook waiting, which is not sent without them', async (_, unreadable) => {
    await using fixture = await DispatcherFixture.open({ secrets });
    await using receiver = await WebhookReceiver.start();
    const replica = (await fixture.replica()).start();
    await replica.intake.announce(new TestJob('job_1', receiver.url, 'acc_1', unreadable).event('job.started'));
    const [delivery] = await replica.until('job_1', ([first]) => first?.tries === 1);
    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ error: expect.stringContaining('SECRETS_KEY') }] });
    expect(receiver.received).toEqual([]);
  });
});
