import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FaultServer, type Case } from './conformance/fault-server.js';
import { runCase, type Outcome } from './conformance/run-case.js';

const FOLDER = new URL('../../conformance/cases/', import.meta.url);
const topics = readdirSync(FOLDER).map((file): [string, Case[]] => [file.replace('.json', ''), JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Case[]]);

let server: FaultServer;
let outcomes: Map<string, Promise<Outcome>>;

beforeAll(async () => {
  server = await FaultServer.start();
  // All at the same time: most of them wait.
  outcomes = new Map((await server.cases()).map((each) => [each.name, runCase(server, each)]));
});
afterAll(() => server.stop());

describe.each(topics)('conformance: %s', (_topic, cases) => {
  it.each(cases.map((each): [string, Case] => [each.name, each]))('%s', async (name, { result, error, progress }) => {
    const outcome = await outcomes.get(name);
    expect(outcome).toMatchObject({ faults: [], isKeyShown: false });
    const { message_contains: words, ...values } = error ?? {};
    if (error) expect(outcome?.error).toMatchObject({ ...values, ...(words !== undefined && { message: expect.stringContaining(String(words)) }) });
    else expect(outcome?.error).toBeUndefined();
    if (result !== undefined) expect({ result: outcome?.result }).toMatchObject({ result });
    if (progress) expect(outcome?.progress).toEqual(progress);
  });
});
