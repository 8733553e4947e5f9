import { once } from 'node:events';
import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { messagesOf, transcription } from '@parlance/contracts';
import { AppError, callUnary, currentCallScope, freshnessOf, inCallScope, withFreshness } from '@parlance/platform';
import { LocalCall, type LocalMethod } from './local-call.js';
import { LocalMethods } from './local-methods.js';
import { freeAddresses, TestProcess, type Behaviour, type Call } from './replica.fixture.js';

const stack: TestProcess[] = [];
afterEach(async () => {
  for (const started of stack.splice(0).toReversed()) await started.close();
});

/** A process that calls the service which it runs itself. */
async function alone(behaviour: Behaviour = () => undefined): Promise<TestProcess> {
  const process = await TestProcess.replica({ number: 7, behaviour });
  stack.push(process);
  return process;
}

const PATH = '/parlance.transcription.v1.TranscriptService/ListSpeakers';

/** A call of a handler that no server has. */
function callOf(handle: LocalMethod['handle']): Promise<unknown> {
  const messages = messagesOf(PATH);
  if (!messages) throw new Error(`no messages of ${PATH}`);
  return new LocalCall(new LocalMethods(), { path: PATH, messages, handle }, { deadline: Infinity, signals: [] }).answerTo({});
}

const forever = () => new Promise<void>(() => undefined);

describe('a call of a service of the same process', () => {
  it('goes to the handler without a connection', async () => {
    let peer: string | undefined;
    const process = await alone((_subject, call) => void (peer = call.getPeer()));
    await expect(process.read('job_1')).resolves.toBe(7);
    expect(peer).toBe('local');
  });

  it('goes through the configured address when there is one: other replicas may be there', async () => {
    const [listen = ''] = await freeAddresses(1);
    let peer: string | undefined;
    const process = await TestProcess.replica({ number: 1, listen, behaviour: (_subject, call) => void (peer = call.getPeer()) });
    stack.push(process);
    await process.read();
    expect(peer).not.toBe('local');
  });

  it('fails with the error that the handler threw', async () => {
    const thrown = new AppError({ kind: 'conflict', code: 'invalid_state', message: 'The job has ended.' });
    const process = await alone(() => Promise.reject(thrown));
    await expect(process.read()).rejects.toMatchObject({ kind: 'conflict', code: 'invalid_state', message: 'The job has ended.' });
  });

  it('gives the handler a message of its own', async () => {
    const requests: unknown[] = [];
    const process = await alone((_subject, call) => void requests.push(call.request));
    const client = process.running.connect('transcription', transcription.TranscriptServiceClient);
    const request = { accountId: '', jobId: 'job_1', fromChunk: 0 };
    await callUnary(client, client.listChunkSegments, request);
    expect(requests).toEqual([request]);
    expect(requests[0]).not.toBe(request);
  });

  it('lets others have their turn, however often it is made', async () => {
    const process = await alone();
    let turns = 0;
    const timer = setInterval(() => (turns += 1));
    const end = Date.now() + 100;
    while (Date.now() < end) await process.read();
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });

  it.each([true, false])('tells that the answer is still so when the handler did: %s', async (isFresh) => {
    const answer = await callOf((_call, callback) => callback(null, withFreshness({}, { isFresh })));
    expect(freshnessOf(answer as object)).toEqual({ isFresh });
  });

  it('tells nothing of an answer of which the handler does not', async () => {
    const answer = await callOf((_call, callback) => callback(null, {}));
    expect(freshnessOf(answer as object)).toBeUndefined();
  });

  it('fails alone when its handler throws before it does anything', async () => {
    const handle = () => {
      throw new Error('broken');
    };
    await expect(callOf(handle)).rejects.toMatchObject({ code: status.UNKNOWN, details: expect.stringContaining('broken') });
  });

  it('fails alone when its handler answers with no message', async () => {
    await expect(callOf((_call, callback) => callback(null, undefined))).rejects.toMatchObject({ code: status.INTERNAL });
  });

  it('has protobuf\'s defaults for what is left out, as through a connection', async () => {
    const requests: unknown[] = [];
    const process = await alone((_subject, call) => void requests.push(call.request));
    const client = process.running.connect('transcription', transcription.TranscriptServiceClient);
    await callUnary(client, client.listChunkSegments, { jobId: 'job_1' } as transcription.ListChunkSegmentsRequest);
    expect(requests).toEqual([{ accountId: '', jobId: 'job_1', fromChunk: 0 }]);
  });

  it('does not run in what the caller does', async () => {
    const process = await alone(() => void (deadline = currentCallScope()?.deadline));
    let deadline: number | undefined;
    const outer = { deadline: Date.now() + 60_000, signal: new AbortController().signal };
    await inCallScope(outer, () => process.read('', { timeoutMs: 5_000 }));
    expect(deadline).toBeLessThan(outer.deadline);
  });

  it('ends at its deadline, and the handler hears of it', async () => {
    const cancelled = Promise.withResolvers<unknown>();
    const process = await alone((_subject, call) => (once(call, 'cancelled').then(cancelled.resolve), forever()));
    await expect(process.read('', { timeoutMs: 50 })).rejects.toMatchObject({ kind: 'timeout' });
    await cancelled.promise;
  });

  it('ends when the caller gives up, and the handler hears of it', async () => {
    const got = Promise.withResolvers<Call>();
    const process = await alone((_subject, call) => (got.resolve(call), forever()));
    const gaveUp = new AbortController();
    const failure = expect(process.read('', { signal: gaveUp.signal })).rejects.toMatchObject({ kind: 'canceled' });
    const call = await got.promise;
    gaveUp.abort();
    await failure;
    expect(call.cancelled).toBe(true);
  });

  it('is answered while the process stops, and refused afterwards', async () => {
    const [got, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const process = await alone(() => (got.resolve(), go.promise));
    const answer = process.read();
    await got.promise;
    const closing = process.close();
    go.resolve();
    await expect(answer).resolves.toBe(7);
    await closing;
    await expect(process.read()).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
