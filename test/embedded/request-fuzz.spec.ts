import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ParlanceProcess, SAMPLES, type TestApi } from '@parlance/testing';
import { describedOperations } from './request-fuzz/described-operations.js';
import { FuzzClient } from './request-fuzz/fuzz-client.js';
import { fuzzCases, type FuzzCase, type FuzzRequest } from './request-fuzz/fuzz-requests.js';
import { pipelines, sendPipeline } from './request-fuzz/pipelines.js';
import { LoopProbe } from './request-fuzz/loop-probe.js';

/** Milliseconds of processor time that one request may hold the event loop. */
const LIMIT_MS = 50;
/** A request counts when it is over the limit each time: a collection of garbage or a checkpoint may fall into one try. */
const TRIES = 4;
/** `npm test` sends one request of each group and a moment of each pipeline; `REQUEST_FUZZ=all` sends all, and two seconds. */
const SENDS_ALL = process.env.REQUEST_FUZZ === 'all';
const PIPELINE_MS = SENDS_ALL ? 2000 : 250;
const MAX_MS = SENDS_ALL ? 3_600_000 : 300_000;
/** Which request of each group; printed, so that a failure can be repeated. */
const SEED = Math.abs(Number(process.env.PROPERTY_SEED)) || Math.floor(Math.random() * 1_000_000);
/** Always sent: a Content-Type once held the loop for 19 s without a key. */
const ALWAYS = 'signUp header content-type';
const IDEMPOTENCY_KEY = 'fuzzed-form';

/** One of each group: another with each seed, and not the same run in all groups. */
function sample(cases: readonly FuzzCase[]): FuzzCase[] {
  const groups = [...Map.groupBy(cases, ({ group }) => group).values()];
  return groups.flatMap((group, index) => group.filter(({ name }, place) => place === (SEED + index) % group.length || name.startsWith(ALWAYS)));
}

describe('requests', () => {
  const opened = new AsyncDisposableStack();
  const probe = new LoopProbe();
  let client: FuzzClient;
  let cases: FuzzCase[];
  let api: TestApi;
  let jobId: string;

  beforeAll(async () => {
    const parlance = opened.use(await ParlanceProcess.start({ env: { ...probe.env, SPEECH_ENGINE_URL: 'fixture:', SIGNUPS_PER_HOUR: '100000', SIGNUPS_PER_HOUR_TOTAL: '1000000', WRONG_KEYS_PER_MINUTE: '100000' } }));
    ({ api } = parlance);
    jobId = await api.upload(SAMPLES.reading.path, {}, { 'idempotency-key': IDEMPOTENCY_KEY });
    await api.terminal(jobId);
    client = opened.adopt(new FuzzClient(api.url), (opened) => opened.close());
    const operations = describedOperations(await (await fetch(`${api.url}/openapi.json`)).json());
    cases = fuzzCases(operations, { apiKey: api.apiKey, jobId, idempotencyKey: IDEMPOTENCY_KEY });
  });
  afterAll(() => opened.disposeAsync());

  const heldMs = async (request: FuzzRequest): Promise<number> => {
    await probe.longestMs();
    await client.send(request);
    return probe.longestMs();
  };

  it('have room for a search of 10,000 characters of three bytes each, beside 15 kB of header fields', async () => {
    const response = await api.request('GET', `/search?q=${encodeURIComponent('界'.repeat(10_000))}`, { headers: { 'x-filler': 'c'.repeat(15_000) } });
    expect(response.status).toBe(200);
  });

  it(`that are pipelined never hold the event loop for ${LIMIT_MS} ms together`, async () => {
    const held: Record<string, number> = {};
    const unanswered: string[] = [];
    let longest = { ms: 0, name: '' };
    for (const pipeline of pipelines(api.apiKey, jobId)) {
      let ms = Infinity;
      for (let tries = 0; ms > LIMIT_MS && tries < TRIES; tries++) {
        await probe.longestMs();
        const answers = await sendPipeline(api.url, pipeline, PIPELINE_MS);
        ms = Math.min(ms, await probe.longestMs());
        if (answers < pipeline.connections) unanswered.push(pipeline.name);
      }
      if (ms > LIMIT_MS) held[pipeline.name] = Math.round(ms);
      if (ms > longest.ms) longest = { ms, name: pipeline.name };
    }
    process.stdout.write(`the longest turn with pipelines took ${longest.ms.toFixed(1)} ms: ${longest.name}\n`);
    expect({ held, unanswered }).toEqual({ held: {}, unanswered: [] });
  }, MAX_MS);

  it(`never hold the event loop for ${LIMIT_MS} ms, whatever stands in its fields, headers and body`, async () => {
    const held: Record<string, number> = {};
    let longest = { ms: 0, name: '' };
    const sent = SENDS_ALL ? cases : sample(cases);
    for (const { name, request: make } of sent) {
      const request = make();
      let ms = await heldMs(request);
      for (let tries = 1; ms > LIMIT_MS && tries < TRIES; tries++) ms = Math.min(ms, await heldMs(request));
      if (ms > LIMIT_MS) held[name] = Math.round(ms);
      if (ms > longest.ms) longest = { ms, name };
    }
    process.stdout.write(`${sent.length} of ${cases.length} requests, PROPERTY_SEED=${SEED}; the longest held the loop for ${longest.ms.toFixed(1)} ms: ${longest.name}\n`);
    expect(held).toEqual({});
  }, MAX_MS);
});
