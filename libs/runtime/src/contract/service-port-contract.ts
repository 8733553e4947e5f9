import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { decoding, transcription, type CallOptions, type MediaDecoderService, type TranscriptService } from '@parlance/contracts';
import { AppError, createMetrics, currentCallScope, currentTraceparent, inCallScope, inService, inSpan, parseTraceparent, silentLogger, type CallScope } from '@parlance/platform';
import { CallMetrics } from '../metrics/call-metrics.js';
import { serve } from '../services/implementation.js';
import { ServedService } from '../services/served-service.js';
import { describeRequestStreams } from './request-stream-contract.js';
import { aborted, forever, type Behaviour, type ServicePorts } from './service-port-setup.js';

type ListRequest = transcription.ListChunkSegmentsRequest;
type Pages = AsyncGenerator<transcription.GetTranscriptResponse>;

const REQUEST: ListRequest = { accountId: 'acc_1', jobId: 'job_1', fromChunk: 0 };
const PAGES = { accountId: 'acc_1', jobId: 'job_1', includeWords: false };
const answer = (nextChunk = 7): transcription.ListChunkSegmentsResponse => ({ segments: [], nextChunk });
const page = (version: number): transcription.GetTranscriptResponse => transcription.GetTranscriptResponse.fromPartial({ header: { version } });
const unused = () => Promise.reject(new Error('not part of the contract'));

async function versionsOf(pages: Pages): Promise<(number | undefined)[]> {
  const versions = [];
  for await (const { header } of pages) versions.push(header?.version);
  return versions;
}

/** The contract of every adapter of a service port, for callers and called services. */
export function describeServicePortContract(name: string, open: (services: ServedService[]) => Promise<ServicePorts>): void {
  describe(`a service called through ${name}`, () => {
    let behaviour: Behaviour;
    let ports: ServicePorts;
    const metrics = createMetrics();
    const callMetrics = new CallMetrics(metrics);

    beforeEach(async () => {
      behaviour = {};
      const transcripts: TranscriptService = {
        listChunkSegments: (request, options = {}) => behaviour.list?.(request, options) ?? Promise.resolve(answer()),
        getTranscript: (request, options = {}) => behaviour.pages!(request, options),
        renderTranscript: forever as never,
        getEngine: unused,
        listEngines: unused,
        getCapacity: unused,
        listSpeakers: unused,
        renameSpeaker: unused,
        mergeSpeakers: unused,
        listSentences: unused,
        findWords: unused,
        getSegment: unused,
        editTranscript: unused,
        replaceText: unused,
        restoreRevision: unused,
        listRevisions: unused,
        getRevision: unused,
        getRevisionStorage: unused,
      };
      const decoder: MediaDecoderService = { run: (requests, options = {}) => behaviour.run!(requests, options) };
      const options = { service: 'transcription', metrics: callMetrics, log: silentLogger() };
      const both = [serve(transcription.TranscriptServiceDefinition, transcripts), serve(decoding.MediaDecoderServiceDefinition, decoder)];
      ports = await open(both.map((each) => inService('transcription', () => new ServedService(each, options))));
    });
    afterEach(() => ports.close());

    const list = (options: CallOptions = {}) => ports.transcripts.listChunkSegments(REQUEST, options);

    describe('for one answer', () => {
      it('gets a message of its own, and so does its caller', async () => {
        const own = answer();
        let got: ListRequest | undefined;
        behaviour.list = async (request) => {
          got = request;
          request.jobId = 'changed';
          return own;
        };
        const received = await list();
        expect(received).toEqual(own);
        expect(received).not.toBe(own);
        expect(received.segments).not.toBe(own.segments);
        expect(got).toEqual({ ...REQUEST, jobId: 'changed' });
        expect(REQUEST.jobId).toBe('job_1');
      });

      it('fails with the error that it threw', async () => {
        const fields = [{ pointer: '/audio_url', code: 'required', detail: 'is required' }];
        behaviour.list = () => Promise.reject(new AppError({ kind: 'conflict', code: 'invalid_state', message: 'The job has ended.', fields, reason: 'already_terminal', retryAfter: 3 }));
        const failure = list();
        await expect(failure).rejects.toBeInstanceOf(AppError);
        await expect(failure).rejects.toMatchObject({ kind: 'conflict', code: 'invalid_state', message: 'The job has ended.', fields, reason: 'already_terminal', retryAfter: 3, retryable: false });
      });

      it('fails without details when it has a defect, also one that shows before its first await', async () => {
        for (const defective of [() => Promise.reject(new TypeError('undefined at /srv/app.js')), () => { throw new TypeError('undefined at /srv/app.js'); }]) {
          behaviour.list = defective;
          await expect(list()).rejects.toMatchObject({ kind: 'internal', code: 'internal', message: expect.not.stringContaining('/srv') });
        }
      });

      it('fails at the deadline, and its signal aborts', async () => {
        const told = Promise.withResolvers<void>();
        behaviour.list = async (_request, { signal }) => {
          await aborted(signal);
          told.resolve();
          return forever();
        };
        // Long enough for the call to arrive on a busy machine.
        await expect(list({ timeoutMs: 1_000 })).rejects.toMatchObject({ kind: 'timeout', code: 'service_unavailable', retryable: true });
        await told.promise;
      });

      it('fails when the caller cancels, and its signal aborts', async () => {
        const [got, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        behaviour.list = async (_request, { signal }) => {
          got.resolve();
          await aborted(signal);
          told.resolve();
          return forever();
        };
        const gaveUp = new AbortController();
        const failure = expect(list({ signal: gaveUp.signal })).rejects.toMatchObject({ kind: 'canceled' });
        await got.promise;
        gaveUp.abort();
        await failure;
        await told.promise;
      });

      it('is not called by a caller that has canceled already', async () => {
        let calls = 0;
        behaviour.list = async () => answer((calls += 1));
        await expect(list({ signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'canceled' });
        expect(calls).toBe(0);
      });

      it('has the deadline and the cancellation of the call that it is made for', async () => {
        const [got, told] = [Promise.withResolvers<CallScope>(), Promise.withResolvers<void>()];
        behaviour.list = async (_request, { signal }) => {
          got.resolve(currentCallScope()!);
          await aborted(signal);
          told.resolve();
          return forever();
        };
        const outer = new AbortController();
        const deadline = Date.now() + 5_000;
        const failure = expect(inCallScope({ deadline, signal: outer.signal }, () => list({ timeoutMs: 60_000 }))).rejects.toMatchObject({ kind: 'canceled' });
        // Through a channel the deadline travels as the time that is left.
        expect((await got.promise).deadline).toBeLessThan(deadline + 1_000);
        outer.abort();
        await failure;
        await told.promise;
      });

      it("belongs to the caller's trace, and to nothing else of the caller's", async () => {
        let seen: { trace: string | undefined; deadline: number | undefined } | undefined;
        behaviour.list = async () => {
          seen = { trace: currentTraceparent(), deadline: currentCallScope()?.deadline };
          return answer();
        };
        const outer = { deadline: Date.now() + 60_000, signal: new AbortController().signal };
        const trace = await inSpan('test', { parent: 'none' }, (span) => inCallScope(outer, () => list({ timeoutMs: 5_000 })).then(() => span.traceparent));
        expect(parseTraceparent(seen?.trace)?.traceId).toBe(parseTraceparent(trace)?.traceId);
        expect(seen?.deadline).toBeLessThan(outer.deadline - 40_000);
      });

      it('is measured by method and status', async () => {
        const counts = async () => {
          const lines = (await metrics.metrics()).matchAll(/^parlance_grpc_request_duration_seconds_count\{.*code="(\w+)".*\} (\d+)$/gm);
          return Object.fromEntries([...lines].map(([, code, count]) => [code, Number(count)])) as Record<string, number>;
        };
        const before = await counts();
        await list();
        behaviour.list = () => Promise.reject(new AppError({ kind: 'not_found', code: 'not_found', message: 'The job was not found.' }));
        await expect(list()).rejects.toMatchObject({ kind: 'not_found' });
        const after = await counts();
        expect([(after['OK'] ?? 0) - (before['OK'] ?? 0), (after['NOT_FOUND'] ?? 0) - (before['NOT_FOUND'] ?? 0)]).toEqual([1, 1]);
      });

      it('is answered while the service stops, and refused afterwards', async () => {
        const [got, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        behaviour.list = async () => {
          got.resolve();
          await go.promise;
          return answer();
        };
        const answered = list();
        await got.promise;
        const drained = ports.drain(60_000);
        go.resolve();
        await expect(answered).resolves.toEqual(answer());
        await drained;
        await expect(list({ timeoutMs: 2_000 })).rejects.toMatchObject({ code: 'service_unavailable', retryable: true });
      });

      it('is unavailable to a caller whose call is cut off by the stop', async () => {
        const got = Promise.withResolvers<void>();
        behaviour.list = () => (got.resolve(), forever());
        const failure = expect(list()).rejects.toMatchObject({ kind: 'unavailable', retryable: true });
        await got.promise;
        await ports.drain(10);
        await failure;
      });
    });

    describe('for a stream', () => {
      it('sends its messages in order', async () => {
        behaviour.pages = async function* () {
          for (let version = 1; version <= 100; version += 1) yield page(version);
        };
        expect(await versionsOf(ports.transcripts.getTranscript(PAGES))).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
      });

      it('fails with its error, after the messages before it', async () => {
        behaviour.pages = async function* () {
          yield page(1);
          throw new AppError({ kind: 'not_found', code: 'not_found', message: 'The next page was not found.' });
        };
        const seen: (number | undefined)[] = [];
        const reading = (async () => {
          for await (const { header } of ports.transcripts.getTranscript(PAGES)) seen.push(header?.version);
        })();
        await expect(reading).rejects.toMatchObject({ kind: 'not_found', message: 'The next page was not found.' });
        expect(seen).toEqual([1]);
      });

      it('waits for a slow reader, and ends when the reader leaves', async () => {
        const ended = Promise.withResolvers<void>();
        let sent = 0;
        behaviour.pages = async function* (_request, { signal }) {
          try {
            for (; ; sent += 1) yield transcription.GetTranscriptResponse.fromPartial({ header: { language: 'x'.repeat(100_000) } });
          } finally {
            await aborted(signal);
            ended.resolve();
          }
        };
        for await (const _ of ports.transcripts.getTranscript(PAGES)) break;
        await ended.promise;
        expect(sent).toBeLessThan(100);
      });

      it('fails when the caller cancels while it waits for a message', async () => {
        const gaveUp = new AbortController();
        const told = Promise.withResolvers<void>();
        behaviour.pages = async function* (_request, { signal }) {
          yield page(1);
          await aborted(signal);
          told.resolve();
        };
        const reading = (async () => {
          for await (const _ of ports.transcripts.getTranscript(PAGES, { signal: gaveUp.signal })) gaveUp.abort();
        })();
        await expect(reading).rejects.toMatchObject({ kind: 'canceled' });
        await told.promise;
      });

      it('fails at the deadline', async () => {
        behaviour.pages = async function* () {
          yield page(1);
          await forever();
        };
        await expect(versionsOf(ports.transcripts.getTranscript(PAGES, { timeoutMs: 50 }))).rejects.toMatchObject({ kind: 'timeout' });
      });
    });

    describe('with a stream of requests', () => {
      describeRequestStreams({ behaviour: () => behaviour, ports: () => ports });
    });
  });
}
