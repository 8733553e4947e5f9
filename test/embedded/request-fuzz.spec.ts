import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seedOf } from '@parlance/platform/contract';
import { ParlanceProcess, SAMPLES, type TestApi } from '@parlance/testing';
import { describedOperations } from './request-fuzz/described-operations.js';
import { FuzzClient } from './request-fuzz/fuzz-client.js';
import { fuzzCases, type FuzzCase, type FuzzRequest } from './request-fuzz/fuzz-requests.js';
import { pipelines, sendPipeline, type Pipeline } from './request-fuzz/pipelines.js';
import { LoopProbe } from './request-fuzz/loop-probe.js';
import { machineSlowness } from './request-fuzz/machine-slowness.js';

/** Milliseconds of processor time that one request may hold the event loop; where the machine is slower at that moment, as many times more. */
const LIMIT_MS = 50;
/** A request counts when it is over the limit each time: a collection of garbage or a checkpoint may fall into one try. */
const TRIES = 4;
/** The quickest of so many tries counts: a collection of garbage and other work on the machine only add to what the requests cost. */
const PIPELINE_TRIES = 4;
/** CI (RANDOM_CASES=all) sends one request of each group, `npm test` of each fifth group; `REQUEST_FUZZ=all` sends all. */
const SENDS_ALL = process.env.REQUEST_FUZZ === 'all';
const GROUPS_PER_SENT = process.env.RANDOM_CASES === 'all' ? 1 : 5;
const MAX_MS = SENDS_ALL ? 3_600_000 : 300_000;
/** Which request of each group; printed, so that a failure can be repeated. */
const SEED = Math.abs(seedOf('PROPERTY_SEED'));
/** Always sent: a Content-Type once held the loop for 19 s without a key. */
const ALWAYS = 'signUp header content-type';
/** Always sent: pipelines that hold it for 211 ms when a connection's requests do not wait for each other. */
const ALWAYS_PIPELINED = 'GET /api/v1/transcriptions, a key, 10 connections';
/** One pipeline of so many is sent. */
const PIPELINES_PER_SENT = 10;
const IDEMPOTENCY_KEY = 'fuzzed-form';

/** What a time over the limit would be on the machine for which the limit was chosen. */
const comparable = (ms: number, limitMs: number): number => (ms > limitMs ? ms / machineSlowness() : ms);

/** One of each group that is sent: another with each seed, and not the same run in all groups. */
function sample(cases: readonly FuzzCase[]): FuzzCase[] {
  const groups = [...Map.groupBy(cases, ({ group }) => group).values()];
  return groups.flatMap((group, index) => {
    const isSentGroup = (SEED + index) % GROUPS_PER_SENT === 0;
    return group.filter(({ name }, place) => (isSentGroup && place === Math.floor((SEED + index) / GROUPS_PER_SENT) % group.length) || name.startsWith(ALWAYS));
  });
}

const isSent = ({ name, isAlwaysSent = false }: Pipeline, place: number) => SENDS_ALL || isAlwaysSent || name.endsWith(ALWAYS_PIPELINED) || (place + SEED) % PIPELINES_PER_SENT === 0;

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
    await probe.measure();
    await client.send(request);
    return comparable((await probe.measure()).longestMs, LIMIT_MS);
  };

  it('have room for a search of 10,000 characters of three bytes each, beside 15 kB of header fields', async () => {
    const response = await api.request('GET', `/search?q=${encodeURIComponent('界'.repeat(10_000))}`, { headers: { 'x-filler': 'c'.repeat(15_000) } });
    expect(response.status).toBe(200);
  });

  it(`that are pipelined never hold the event loop for ${LIMIT_MS} ms together`, async () => {
    const held: Record<string, number[]> = {};
    const costly: Record<string, number[]> = {};
    const unanswered: Record<string, number[]> = {};
    let longest = { ms: 0, name: '' };
    const sent = pipelines(api.apiKey, jobId).filter(isSent);
    for (const pipeline of sent) {
      const { name, connections, minAnswers = 1, maxTotalMs = Infinity } = pipeline;
      const longestOf: number[] = [];
      const totals: number[] = [];
      const isOver = () => Math.min(...longestOf) > LIMIT_MS || Math.min(...totals) > maxTotalMs;
      for (let tries = 0; tries < PIPELINE_TRIES && (tries === 0 || isOver()); tries++) {
        await probe.measure();
        const answers = await sendPipeline(api.url, pipeline);
        const { longestMs, totalMs } = await probe.measure();
        longestOf.push(comparable(longestMs, LIMIT_MS));
        totals.push(comparable(totalMs / connections, maxTotalMs));
        if (answers.some((count) => count < minAnswers)) unanswered[name] = answers;
      }
      const ms = Math.min(...longestOf);
      if (ms > LIMIT_MS) held[name] = longestOf;
      if (Math.min(...totals) > maxTotalMs) costly[name] = totals;
      if (ms > longest.ms) longest = { ms, name };
    }
    process.stdout.write(`${sent.length} pipelines, PROPERTY_SEED=${SEED}; the longest turn took ${longest.ms.toFixed(1)} ms: ${longest.name}\n`);
    expect({ held, costly, unanswered }).toEqual({ held: {}, costly: {}, unanswered: {} });
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
