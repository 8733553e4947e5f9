import { describe, expect, it } from '@jest/globals';
import { eventually, WebhookReceiver } from '@parlance/testing';
import { DispatcherFixture, TestJob, type DispatcherReplica } from '../../test/dispatcher-fixture.js';

const CONCURRENCY = 8;

/** Receivers that never answer. */
async function hanging(count: number, stack: AsyncDisposableStack): Promise<WebhookReceiver[]> {
  const receivers = await Promise.all(Array.from({ length: count }, () => WebhookReceiver.start(() => undefined)));
  for (const receiver of receivers) stack.use(receiver);
  return receivers;
}

const announce = (replica: DispatcherReplica, jobId: string, { url }: WebhookReceiver, accountId: string) =>
  replica.intake.announce(new TestJob(jobId, url, accountId).event('job.completed'));

const tries = (receivers: readonly WebhookReceiver[]) => receivers.reduce((sum, { received }) => sum + received.length, 0);

describe('while receivers never answer', () => {
  it('as many of one account as there are turns leave the other accounts their turns', async () => {
    await using fixture = await DispatcherFixture.open({ concurrency: CONCURRENCY });
    await using stack = new AsyncDisposableStack();
    const receivers = await hanging(2 * CONCURRENCY, stack);
    await using quick = await WebhookReceiver.start();
    const replica = await fixture.replica();
    for (const [nth, receiver] of receivers.entries()) await announce(replica, `job_h${nth}`, receiver, 'acc_hanging');
    for (let nth = 0; nth < 10; nth += 1) await announce(replica, `job_q${nth}`, quick, `acc_${nth}`);
    replica.start();
    await eventually('the quick receiver', () => quick.received.length === 10);
    await eventually('the share of the account', () => tries(receivers) >= CONCURRENCY / 4);
    expect(tries(receivers)).toBe(CONCURRENCY / 4);
    await eventually('the quick deliveries to be stored as such', async () => (await replica.deliveries.countPending()) === receivers.length);
  });

  it('one origin, of as many accounts as there are turns, leaves other origins their turns', async () => {
    await using fixture = await DispatcherFixture.open({ concurrency: CONCURRENCY });
    await using stack = new AsyncDisposableStack();
    const [receiver] = await hanging(1, stack);
    await using quick = await WebhookReceiver.start();
    const replica = await fixture.replica();
    for (let nth = 0; nth < 2 * CONCURRENCY; nth += 1) await announce(replica, `job_h${nth}`, receiver!, `acc_${nth}`);
    await announce(replica, 'job_q', quick, 'acc_1');
    replica.start();
    await eventually('the quick receiver', () => quick.received.length === 1);
    await eventually('the share of the origin', () => receiver!.received.length >= CONCURRENCY / 4);
    expect(receiver!.received).toHaveLength(CONCURRENCY / 4);
  });

  it('those that wait for the share of their account get it in turn, each before any has had all that waits for it', async () => {
    await using fixture = await DispatcherFixture.open({ concurrency: CONCURRENCY });
    await using stack = new AsyncDisposableStack();
    const receivers = await hanging(6, stack);
    const order: number[] = [];
    for (const [nth, receiver] of receivers.entries()) {
      receiver.answer = (_request, response) => {
        order.push(nth);
        response.end();
      };
    }
    const replica = await fixture.replica();
    for (let round = 0; round < 3; round += 1) {
      for (const [nth, receiver] of receivers.entries()) {
        for (let job = 0; job < 2; job += 1) await announce(replica, `job_${round}_${nth}_${job}`, receiver, 'acc_1');
      }
    }
    replica.start();
    await eventually('all deliveries', async () => (await replica.deliveries.countPending()) === 0);
    expect(order).toHaveLength(36);
    const served = order.findIndex((nth, at) => order.slice(0, at + 1).filter((each) => each === nth).length === 6);
    expect(new Set(order.slice(0, served)).size).toBe(6);
  });

  it('ten times as many as there are turns, each of an account of its own and never seen before, leave the others theirs', async () => {
    await using fixture = await DispatcherFixture.open({ concurrency: CONCURRENCY, slowAfterMs: 50, timeoutMs: 120_000 });
    await using stack = new AsyncDisposableStack();
    const receivers = await hanging(10 * CONCURRENCY, stack);
    await using quick = await WebhookReceiver.start();
    const replica = await fixture.replica();
    for (const [nth, receiver] of receivers.entries()) await announce(replica, `job_h${nth}`, receiver, `acc_h${nth}`);
    for (let nth = 0; nth < 10; nth += 1) await announce(replica, `job_q${nth}`, quick, `acc_${nth}`);
    replica.start();
    await eventually('the quick receiver', () => quick.received.length === 10);
    await eventually('the hanging tries', () => tries(receivers) === receivers.length);
  });

  it('what becomes due later is looked at in time, though others wait for their share', async () => {
    await using fixture = await DispatcherFixture.open({ concurrency: CONCURRENCY });
    await using stack = new AsyncDisposableStack();
    const receivers = await hanging(CONCURRENCY, stack);
    await using flaky = await WebhookReceiver.start((_request, response) => response.writeHead(flaky.received.length === 1 ? 503 : 204).end());
    const replica = (await fixture.replica()).start();
    await announce(replica, 'job_f', flaky, 'acc_1');
    await replica.until('job_f', ([first]) => first?.tries === 1);
    for (const [nth, receiver] of receivers.entries()) await announce(replica, `job_h${nth}`, receiver, 'acc_hanging');
    await eventually('the hanging tries', () => tries(receivers) === CONCURRENCY / 4);
    replica.pass(6000);
    await replica.until('job_f', ([first]) => first?.status === 'delivered');
  });
});
