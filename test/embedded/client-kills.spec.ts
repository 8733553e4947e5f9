import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { reservePorts } from '@parlance/platform/contract';
import { eventually, NO_ADD_ONS, ParlanceProcess, SAMPLES, type TestApi } from '@parlance/testing';
import { commandClient } from './client-kills/command-client.js';
import { HoldingProxy } from './client-kills/holding-proxy.js';
import { javascriptClient } from './client-kills/javascript-client.js';
import type { KilledClient, Outcome, Run } from './client-kills/killed-client.js';
import { PHASES, type PhaseName } from './client-kills/phases.js';
import { phpClients, pythonClients } from './client-kills/program-client.js';

/** `.ci/parts/sdk-python` and `.ci/parts/sdk-php` run their own clients, each with the package that they have installed. */
const { KILLS_PYTHON: python, KILLS_PHP: php } = process.env;
const clients: KilledClient[] = python ? pythonClients(python) : php ? phpClients(php) : [javascriptClient, commandClient];

/** Pauses of some three minutes: a restart takes seconds, and most of a minute on a busy machine. */
const PATIENT = 30;
const DEFAULT_RETRIES = 2;
const TEST_LIMIT_MS = 900_000;
/** The jobs of all clients wait for each other, after a start. */
const JOB_LIMIT_MS = 300_000;

/** A client in a phase, whose account is its own. */
interface Subject {
  title: string;
  client: KilledClient;
  phase: PhaseName;
  apiKey: string;
  proxy: HoldingProxy;
  run: Run;
}

let parlance: ParlanceProcess;
let folder: string;
/** Those of the present test. */
const proxies: HoldingProxy[] = [];
const recordings = { small: '', large: '', live: '' };
/** An account with one job, of which documents and answers are read. */
let reader = { apiKey: '', jobId: '' };
/** Seconds that one job of each recording is billed. */
const billed = { small: 0, large: 0 };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-kills-'));
  Object.assign(recordings, { small: join(folder, 'small.wav'), large: join(folder, 'large.wav'), live: join(folder, 'live.pcm') });
  // Over 8 MiB, so that it is sent in pieces.
  ffmpeg('-ar', '192000', '-ac', '4', '-c:a', 'pcm_s32le', '-t', '3', recordings.large);
  ffmpeg('-ar', '16000', '-ac', '1', '-t', '3', recordings.small);
  ffmpeg('-ar', '16000', '-ac', '1', '-f', 's16le', recordings.live);
  const { status, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL('../../scripts/parlance.mjs', import.meta.url)), '--version'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'error', LIVE_RESUME_SECONDS: '600' } });
  for (const size of ['small', 'large'] as const) {
    const api = await parlance.newAccount();
    const { job_id: jobId } = await api.terminal(await api.upload(recordings[size], NO_ADD_ONS));
    if (size === 'small') reader = { apiKey: api.apiKey, jobId };
    billed[size] = await eventually('the bill', async () => (await secondsOf(api)) || undefined);
  }
}, TEST_LIMIT_MS);
afterAll(async () => {
  await parlance?.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** Also after a failure: clients whose proxy stays would try on. */
afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy[Symbol.asyncDispose]()));
});

const ffmpeg = (...args: string[]) => execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-i', SAMPLES.reading.path, ...args]);

const secondsOf = async (api: TestApi) => (await api.json<{ total_seconds: number }>('/usage')).total_seconds;

const apiOf = ({ apiKey }: Subject) => parlance.api.as(apiKey);

/** Every client in every phase. */
async function subjects(maxRetries: number): Promise<Subject[]> {
  const pairs = clients.flatMap((client) => client.phases.map((phase) => ({ client, phase })));
  const firstPort = await reservePorts(pairs.length);
  return Promise.all(
    pairs.map(async ({ client, phase }, index) => {
      const { call, recording } = PHASES[phase];
      const { apiKey, jobId } = call === 'export' || call === 'chat' ? reader : { apiKey: (await parlance.newAccount()).apiKey, jobId: '' };
      const proxy = await HoldingProxy.start(PHASES[phase], parlance.api.url, firstPort + index);
      proxies.push(proxy);
      const run: Run = { phase, call, base_url: proxy.url, api_key: apiKey, recording: call === 'live' ? recordings.live : recordings[recording], job_id: jobId, max_retries: maxRetries };
      return { title: `${client.name}: ${phase}`, client, phase, apiKey, proxy, run };
    }),
  );
}

const started = (all: readonly Subject[]): Promise<Outcome>[] => all.map(({ client, run }) => client.run([run])[0] ?? Promise.reject(new Error('no outcome')));

/** Waits until each client is in its phase, and kills the product. @throws Error when a call ended before */
async function killInPhase(all: readonly Subject[], outcomes: readonly Promise<Outcome>[]): Promise<void> {
  await Promise.all(
    all.map(async ({ title, proxy }, index) => {
      const early = await Promise.race([proxy.held.then(() => undefined), outcomes[index]]);
      if (early) throw new Error(`${title} ended before its phase: ${JSON.stringify(early)}`);
    }),
  );
  await parlance.kill();
  for (const { proxy } of all) proxy.leave();
}

async function comeBack(all: readonly Subject[]): Promise<void> {
  await parlance.restart();
  await Promise.all(all.map(({ proxy }) => proxy.comeBack(parlance.api.url)));
}

const titled = (all: readonly Subject[], values: readonly unknown[]) => Object.fromEntries(all.map(({ title }, index) => [title, values[index]]));

/** Does what the errors say: repeats a call with the key of its error, and takes up a job that has no key. */
const repeated = (all: readonly Subject[], outcomes: readonly Outcome[]): Promise<Outcome[]> => Promise.all(all.map((subject, index) => repeatedOne(subject, outcomes[index] ?? {})));

async function repeatedOne(subject: Subject, outcome: Outcome): Promise<Outcome> {
  const { client, run } = subject;
  if (!outcome.error || run.call === 'live') return outcome;
  const { job_id: jobId, idempotency_key: key } = outcome.error;
  if (jobId === undefined || key !== undefined) return client.run([{ ...run, max_retries: PATIENT, idempotency_key: key }])[0] ?? {};
  const { status } = await apiOf(subject).terminal(jobId, JOB_LIMIT_MS);
  return { result: { job_id: jobId, status } };
}

const expectedOf = ({ run: { call } }: Subject) => {
  if (call === 'export') return { result: { text: expect.stringMatching(/^%PDF-[^]*%%EOF\s*$/) } };
  return { result: call === 'chat' ? { text: expect.stringMatching(/\w/) } : { job_id: expect.stringMatching(/^job_/), status: 'completed' } };
};

/** Each account has one job, which is billed once. */
async function expectOneJobEach(all: readonly Subject[], outcomes: readonly Outcome[]): Promise<void> {
  const jobs = await Promise.all(all.map(async (subject) => (await apiOf(subject).json<{ data: { job_id: string }[] }>('/transcriptions?limit=100')).data.map(({ job_id: id }) => id)));
  expect(titled(all, jobs)).toEqual(titled(all, all.map(({ run }, index) => [run.job_id || (outcomes[index]?.result?.job_id ?? outcomes[index]?.error?.job_id)])));
  const ended = all.filter(({ run: { call } }) => call !== 'live');
  await Promise.all(ended.map(async (subject) => apiOf(subject).terminal(jobs[all.indexOf(subject)]?.[0] ?? '', JOB_LIMIT_MS)));
  const bills = () => Promise.all(ended.map((subject) => secondsOf(apiOf(subject))));
  const wanted = ended.map(({ phase }) => billed[PHASES[phase].recording]);
  await eventually('the bills', async () => (await bills()).every((seconds, index) => seconds >= (wanted[index] ?? 0)));
  expect(titled(ended, await bills())).toEqual(titled(ended, wanted));
}

describe('a client whose server is killed with -9', () => {
  it('goes on in each phase when the server comes back, and makes one job', async () => {
    const all = await subjects(PATIENT);
    const calls = started(all);
    await killInPhase(all, calls);
    await comeBack(all);
    const first = await Promise.all(calls);
    // An answer of the chat cannot be resumed.
    const broken = all.filter((_, index) => first[index]?.error);
    expect(titled(broken, first.filter(({ error }) => error))).toEqual(titled(broken, broken.map(() => expect.anything())));
    expect(broken.map(({ phase }) => phase)).toEqual(clients.map(() => 'a chat answer'));
    const outcomes = await repeated(all, first);
    expect(titled(all, outcomes)).toMatchObject(titled(all, all.map(expectedOf)));
    await expectOneJobEach(all, outcomes);
  }, TEST_LIMIT_MS);

  it('ends with an error that says what to do when the server stays away, and makes one job when it is repeated', async () => {
    const all = await subjects(DEFAULT_RETRIES);
    const calls = started(all);
    await killInPhase(all, calls);
    const first = await Promise.all(calls);
    expect(titled(all, first)).toMatchObject(titled(all, all.map(errorOf)));
    await comeBack(all);
    const outcomes = await repeated(all, first);
    expect(titled(all, outcomes)).toMatchObject(titled(all, all.map((subject) => (subject.phase === 'a live session' ? {} : expectedOf(subject)))));
    await expectOneJobEach(all, outcomes);
  }, TEST_LIMIT_MS);
});

/** What the error of a client has whose server stays away. */
function errorOf({ client, run: { call }, phase }: Subject): Outcome {
  const isCommand = client === commandClient;
  const hasJob = call === 'events' || call === 'live' || phase === 'a wait for the job';
  const hasKey = call === 'transcribe' ? !(isCommand && hasJob) : call === 'chat' && !isCommand;
  const steps = [/runs|continues|performed once/, ...(hasKey ? [/performed once|--idempotency-key/] : []), ...(hasJob && call !== 'live' ? [/continue/] : [])];
  const message = expect.stringMatching(new RegExp(steps.map((step) => `(?=[^]*(?:${step.source}))`).join('')));
  return {
    error: {
      type: isCommand ? 'exit code 1' : expect.stringMatching(/^Connection(Error|Exception)$/),
      retryable: true,
      message,
      ...(hasJob && { job_id: expect.stringMatching(/^job_/) }),
      ...(hasKey && { idempotency_key: expect.stringMatching(/./) }),
    },
  } as unknown as Outcome;
}
