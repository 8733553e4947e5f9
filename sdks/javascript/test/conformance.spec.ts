import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FaultServer, type Case } from './conformance/fault-server.js';
import { runCase, type Outcome } from './conformance/run-case.js';

const FOLDER = new URL('../../conformance/cases/', import.meta.url);
const topics = readdirSync(FOLDER).map((file): [string, Case[]] => [file.replace('.json', ''), JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Case[]]);

/** Cases that run at the same time. Most of a case is waiting, but the shortest time-outs are half a second. */
const LANES = 4;

let server: FaultServer;
const outcomes = new Map<string, Outcome>();

async function runAll(cases: Iterator<Case>): Promise<void> {
  for (let next = cases.next(); !next.done; next = cases.next()) outcomes.set(next.value.name, await runCase(server, next.value));
}

beforeAll(async () => {
  server = await FaultServer.start();
  const cases = (await server.cases()).values();
  await Promise.all(Array.from({ length: LANES }, () => runAll(cases)));
});
afterAll(() => server.stop());

describe.each(topics)('conformance: %s', (_topic, cases) => {
  it.each(cases.map((each): [string, Case] => [each.name, each]))('%s', (name, { result, error, progress }) => {
    const outcome = outcomes.get(name);
    expect(outcome).toMatchObject({ faults: [], isKeyShown: false });
    const { message_contains: words, ...values } = error ?? {};
    if (error) expect(outcome?.error).toMatchObject({ ...values, ...(words !== undefined && { message: expect.stringContaining(String(words)) }) });
    else expect(outcome?.error).toBeUndefined();
    if (result !== undefined) expect({ result: outcome?.result }).toMatchObject({ result });
    if (progress) expect(outcome?.progress).toEqual(progress);
  });
});
