import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { transcription } from '@parlance/contracts';
import type { CallScope } from '@parlance/platform';
import { reserveAddresses } from '@parlance/platform/contract';
import { readFrom, TestProcess, type Behaviour } from '@parlance/testing/grpc-replica';

const stack: TestProcess[] = [];
afterEach(async () => {
  for (const started of stack.splice(0).toReversed()) await started.close();
});

/** A replica that asks the one behind it, for so long, before it answers. @returns a client of it, and the call that the one behind got. */
async function chain(behind: Behaviour, timeoutMs = 600_000): Promise<{ client: TestProcess; got: Promise<CallScope> }> {
  const [near = '', far = ''] = await reserveAddresses(2);
  const got = Promise.withResolvers<CallScope>();
  stack.push(
    await TestProcess.replica({
      number: 2,
      listen: far,
      behaviour: (subject, call, context) => {
        got.resolve(call);
        return behind(subject, call, context);
      },
    }),
    await TestProcess.replica({
      number: 1,
      listen: near,
      env: { TRANSCRIPTION_GRPC_URL: `ipv4:${far}` },
      behaviour: async (subject, _call, context) => {
        await readFrom(context.connect('transcription', transcription.TranscriptServiceDefinition), subject, { timeoutMs });
      },
    }),
  );
  const client = await TestProcess.client(`ipv4:${near}`);
  stack.push(client);
  return { client, got: got.promise };
}

const forever = () => new Promise<void>(() => undefined);


describe('a call made for another', () => {
  it('has its deadline, when that is sooner', async () => {
    const { client, got } = await chain(() => undefined);
    const before = Date.now();
    await client.read('', { timeoutMs: 5_000 });
    // Deadlines travel as the time that is left, so they move a little.
    expect((await got).deadline).toBeLessThan(before + 9_000);
  });

  it('has its own, when that is sooner', async () => {
    const { client, got } = await chain(() => undefined, 10_000);
    const before = Date.now();
    await client.read('', { timeoutMs: 60_000 });
    expect((await got).deadline).toBeLessThan(before + 30_000);
  });

  it('ends at the deadline of the first caller', async () => {
    const { client, got } = await chain(forever);
    const failure = expect(client.read('', { timeoutMs: 500 })).rejects.toMatchObject({ kind: 'timeout' });
    const { signal } = await got;
    if (!signal.aborted) await once(signal, 'abort');
    await failure;
  });

  it('is canceled with it', async () => {
    const { client, got } = await chain(forever);
    const gaveUp = new AbortController();
    const failure = expect(client.read('', { timeoutMs: 60_000, signal: gaveUp.signal })).rejects.toMatchObject({ kind: 'canceled' });
    const { signal } = await got;
    gaveUp.abort();
    if (!signal.aborted) await once(signal, 'abort');
    await failure;
  });
});
