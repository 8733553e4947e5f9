import { expect, it } from '@jest/globals';
import type { decoding } from '@parlance/contracts';
import { AppError, currentCallScope } from '@parlance/platform';
import { aborted, forever, type Behaviour, type ServicePorts } from './service-port-setup.js';

/** The contract for methods whose requests are a stream. */
export function describeRequestStreams({ behaviour, ports }: { behaviour: () => Behaviour; ports: () => Pick<ServicePorts, 'decoder' | 'drain'> }): void {
  const source = (text: string): decoding.RunRequest => ({ part: { $case: 'source', value: Buffer.from(text) } });
  const echo: Behaviour['run'] = async function* (requests) {
    for await (const { part } of requests) yield { part: { $case: 'output', value: part?.$case === 'source' ? part.value : Buffer.alloc(0) } };
  };
  const outputsOf = async (responses: AsyncIterable<decoding.RunResponse>) => {
    const outputs = [];
    for await (const { part } of responses) outputs.push(part?.$case === 'output' && part.value.toString());
    return outputs;
  };

  it('answers while it reads', async () => {
    behaviour().run = echo;
    const requests = async function* () {
      yield source('a');
      yield source('b');
    };
    expect(await outputsOf(ports().decoder.run(requests()))).toEqual(['a', 'b']);
  });

  it('fails with the error that the requests throw', async () => {
    behaviour().run = echo;
    const requests = async function* () {
      yield source('a');
      throw new AppError({ kind: 'unavailable', code: 'media_store_unavailable', message: 'The media store is away.' });
    };
    await expect(outputsOf(ports().decoder.run(requests()))).rejects.toMatchObject({ code: 'media_store_unavailable' });
  });

  it('may answer without reading all of them', async () => {
    behaviour().run = async function* (requests) {
      for await (const _ of requests) break;
      yield { part: { $case: 'output', value: Buffer.from('enough') } };
    };
    const requests = async function* () {
      for (;;) yield source('x'.repeat(10_000));
    };
    expect(await outputsOf(ports().decoder.run(requests()))).toEqual(['enough']);
  });

  /** One request, then silence until it is left. */
  const quiet = () => {
    const left = Promise.withResolvers<void>();
    const requests: AsyncIterable<decoding.RunRequest> = {
      [Symbol.asyncIterator]: () => {
        const first = [source('a')];
        return {
          next: () => (first.length > 0 ? Promise.resolve({ done: false, value: first.pop()! }) : forever()),
          return: async () => (left.resolve(), { done: true, value: undefined }),
        };
      },
    };
    return { requests, left: left.promise };
  };

  it('learns that the caller left while no request was coming, and so do the requests', async () => {
    const told = Promise.withResolvers<void>();
    behaviour().run = async function* (requests, { signal }) {
      try {
        yield* echo(requests, {});
      } finally {
        await aborted(signal);
        told.resolve();
      }
    };
    const { requests, left } = quiet();
    for await (const _ of ports().decoder.run(requests, { timeoutMs: Infinity })) break;
    await Promise.all([told.promise, left]);
  });

  it('is canceled while it waits for a request', async () => {
    const told = Promise.withResolvers<void>();
    behaviour().run = async function* (requests, options) {
      try {
        yield* echo(requests, options);
      } finally {
        told.resolve();
      }
    };
    const [gaveUp, { requests, left }] = [new AbortController(), quiet()];
    const reading = (async () => {
      for await (const _ of ports().decoder.run(requests, { signal: gaveUp.signal, timeoutMs: Infinity })) gaveUp.abort();
    })();
    await expect(reading).rejects.toMatchObject({ kind: 'canceled' });
    await Promise.all([told.promise, left]);
  });

  it('fails or ends at once while no request is coming', async () => {
    const failed = quiet();
    // oxlint-disable-next-line require-yield
    behaviour().run = async function* (requests) {
      for await (const _ of requests) throw new AppError({ kind: 'not_found', code: 'not_found', message: 'The model was not found.' });
    };
    await expect(outputsOf(ports().decoder.run(failed.requests, { timeoutMs: Infinity }))).rejects.toMatchObject({ kind: 'not_found' });
    const ended = quiet();
    behaviour().run = async function* (requests) {
      for await (const { part } of requests) return yield { part: { $case: 'output', value: part?.$case === 'source' ? part.value : Buffer.alloc(0) } };
    };
    expect(await outputsOf(ports().decoder.run(ended.requests, { timeoutMs: Infinity }))).toEqual(['a']);
    await Promise.all([failed.left, ended.left]);
  });

  it('reads no faster than it wants, so that the caller does not run ahead', async () => {
    let made = 0;
    const requests = async function* () {
      for (; made < 5_000; made += 1) yield source('x'.repeat(20_000));
    };
    const read = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    behaviour().run = async function* (received) {
      let count = 0;
      for await (const _ of received) {
        count += 1;
        if (count === 1) read.resolve();
        if (count === 1) await go.promise;
      }
      yield { part: { $case: 'output', value: Buffer.from(String(count)) } };
    };
    const outputs = outputsOf(ports().decoder.run(requests(), { timeoutMs: Infinity }));
    await read.promise;
    let before = -1;
    for (; before !== made; await new Promise((resolve) => setTimeout(resolve, 200))) before = made;
    expect(made).toBeLessThan(500);
    go.resolve();
    expect(await outputs).toEqual(['5000']);
  });

  it('answers no faster than the caller reads', async () => {
    let answered = 0;
    behaviour().run = async function* (requests) {
      for await (const _ of requests) for (; answered < 5_000; answered += 1) yield { part: { $case: 'output', value: Buffer.alloc(20_000) } };
    };
    const { requests } = quiet();
    for await (const _ of ports().decoder.run(requests, { timeoutMs: Infinity })) {
      let before = -1;
      for (; before !== answered; await new Promise((resolve) => setTimeout(resolve, 200))) before = answered;
      break;
    }
    expect(answered).toBeLessThan(500);
  });

  it('has no deadline when the caller waits without end', async () => {
    const deadlines: number[] = [];
    behaviour().run = async function* (requests, options) {
      deadlines.push(currentCallScope()!.deadline);
      yield* echo(requests, options);
    };
    const requests = async function* () {
      yield source('a');
    };
    await outputsOf(ports().decoder.run(requests(), { timeoutMs: Infinity }));
    expect(deadlines).toEqual([Infinity]);
  });

  it('is unavailable to a caller whose call is cut off by the stop while no request is coming', async () => {
    behaviour().run = echo;
    const { requests, left } = quiet();
    const reading = (async () => {
      for await (const _ of ports().decoder.run(requests, { timeoutMs: Infinity })) void ports().drain(10);
    })();
    await expect(reading).rejects.toMatchObject({ kind: 'unavailable', retryable: true });
    await left;
  });
}
