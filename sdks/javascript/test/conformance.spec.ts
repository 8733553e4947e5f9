import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FaultServer, type Case } from './conformance/fault-server.js';
import { runCase, type Outcome } from './conformance/run-case.js';
import { sendByHttp } from '../src/send-by-http.js';
import { runLiveCase, type LiveCase, type LiveOutcome } from './conformance/run-live-case.js';

const topics = topicsOf<Case>('cases');
/** Files of the disk are sent by a `fetch` of their own. */
const uploads = topics.flatMap(([topic, cases]) => (topic === 'uploads' ? cases : []));
const liveTopics = topicsOf<LiveCase>('live-cases');

/** Cases that run at the same time. Most of a case is waiting, but the shortest time-outs are two seconds. */
const LANES = 4;

let server: FaultServer;
const outcomes = new Map<string, Outcome>();
const diskOutcomes = new Map<string, Outcome>();
const liveOutcomes = new Map<string, LiveOutcome>();

/** Cases by the files of a folder. */
function topicsOf<Kind extends Case>(folder: string): [string, Kind[]][] {
  const files = new URL(`../../conformance/${folder}/`, import.meta.url);
  return readdirSync(files).map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(new URL(file, files), 'utf8')) as Kind[]]);
}

async function runAll<Kind extends Case, Result>(cases: Iterator<Kind>, run: (server: FaultServer, played: Kind) => Promise<Result>, results: Map<string, Result>): Promise<void> {
  for (let next = cases.next(); !next.done; next = cases.next()) results.set(next.value.name, await run(server, next.value));
}

beforeAll(async () => {
  server = await FaultServer.start();
  const cases = (await server.cases()).values();
  const liveCases = liveTopics.flatMap(([, each]) => each).values();
  await Promise.all(Array.from({ length: LANES }, () => runAll(cases, runCase, outcomes)));
  const disk = uploads.values();
  await Promise.all(Array.from({ length: LANES }, () => runAll(disk, (...played) => runCase(...played, sendByHttp), diskOutcomes)));
  await Promise.all(Array.from({ length: LANES }, () => runAll(liveCases, runLiveCase, liveOutcomes)));
});
afterAll(() => server.stop());

function expectOutcome(outcome: Outcome | undefined, { result, error, progress }: Case): void {
  expectError(outcome, error);
  if (result !== undefined) expect({ result: outcome?.result }).toMatchObject({ result });
  if (progress) expect(outcome?.progress).toEqual(progress);
}

function expectError(outcome: Outcome | undefined, error: Case['error']): void {
  expect(outcome).toMatchObject({ faults: [], isKeyShown: false });
  const { message_contains: words, ...values } = error ?? {};
  if (error) expect(outcome?.error).toMatchObject({ ...values, ...(words !== undefined && { message: expect.stringContaining(String(words)) }) });
  else expect(outcome?.error).toBeUndefined();
}

describe.each(topics)('conformance: %s', (_topic, cases) => {
  it.each(cases.map((each): [string, Case] => [each.name, each]))('%s', (name, played) => expectOutcome(outcomes.get(name), played));
});

describe('conformance: uploads by node:http', () => {
  it.each(uploads.map((each): [string, Case] => [each.name, each]))('%s', (name, played) => expectOutcome(diskOutcomes.get(name), played));
});

describe.each(liveTopics)('conformance: %s sessions', (_topic, cases) => {
  it.each(cases.map((each): [string, LiveCase] => [each.name, each]))('%s', (name, { result, error, messages, reconnects }) => {
    const outcome = liveOutcomes.get(name);
    expectError(outcome, error);
    if (result !== undefined) expect({ result: outcome?.result }).toMatchObject({ result });
    if (messages) expect(outcome?.messages).toMatchObject(messages);
    if (reconnects !== undefined) expect(outcome?.reconnects).toBe(reconnects);
  });
});
