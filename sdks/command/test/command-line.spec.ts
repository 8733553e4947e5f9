import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { verifyWebhook } from '@parlance/client';
import { candidates } from '../src/completion/candidates.js';
import { Context, normalUrl } from '../src/context.js';
import { clock } from '../src/doctor/diagnose.js';
import { newSecret, webhookHeaders } from '../src/forward/sign.js';
import { createProgram } from '../src/program.js';
import { writeSettings } from '../src/settings-file.js';
import { clockTime } from '../src/times.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settings-'));
});
afterEach(() => rm(folder, { recursive: true }));

const contextOf = (env: NodeJS.ProcessEnv) => new Context(process, { XDG_CONFIG_HOME: folder, ...env }, new AbortController().signal);

describe('the server and the key', () => {
  it('are those of the environment, then those of login, which only their owner can read', async () => {
    const { settingsPath } = contextOf({});
    await writeSettings(settingsPath, { base_url: 'https://a.example', api_key: 'pl_a' });
    expect((await stat(settingsPath)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(settingsPath, 'utf8'))).toEqual({ base_url: 'https://a.example', api_key: 'pl_a' });
    expect(await contextOf({}).connection()).toMatchObject({ baseUrl: 'https://a.example', apiKey: 'pl_a', apiKeySource: settingsPath });
    expect(await contextOf({ PARLANCE_API_KEY: ' pl_b\n' }).connection()).toMatchObject({ baseUrl: 'https://a.example', apiKey: 'pl_b', apiKeySource: 'PARLANCE_API_KEY' });
  });

  it('of login are not sent to another server', async () => {
    await writeSettings(contextOf({}).settingsPath, { base_url: 'https://a.example', api_key: 'pl_a' });
    expect(await contextOf({ PARLANCE_BASE_URL: 'https://b.example' }).connection()).toMatchObject({ baseUrl: 'https://b.example', apiKey: undefined });
  });

  it('need a URL', () => {
    expect(normalUrl('https://a.example/api/v1/')).toBe('https://a.example');
    expect(() => normalUrl('a.example')).toThrow('is not a URL');
  });
});

it('says once that a server is away while calls are repeated', async () => {
  const lines: string[] = [];
  const stderr = { write: (line: string) => lines.push(line) } as unknown as NodeJS.WriteStream;
  const context = new Context({ stdin: process.stdin, stdout: process.stdout, stderr }, { XDG_CONFIG_HOME: folder, PARLANCE_API_KEY: 'pl_a', PARLANCE_BASE_URL: 'http://a.example' }, new AbortController().signal);
  const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }));
  const client = await context.client({ fetch });
  await expect(client.transcriptions.get('job_1')).rejects.toThrow();
  expect(lines).toEqual([expect.stringMatching(/^Trying again: There is no connection to http:\/\/a\.example \(ECONNREFUSED\)\./)]);
});

describe('completion', () => {
  it.each<[string[], string[]]>([
    [['tr'], ['transcribe']],
    [['speakers', ''], ['list', 'rename']],
    [['transcribe', '--format', 'txt,s'], ['txt,srt', 'txt,stl']],
    [['usage', '--by', 'd'], ['day']],
    [['transcribe', '--qui'], ['--quiet']],
    [['transcribe', '--retry'], ['--retry-failed']],
    [['transcribe', 'talk'], []],
    [['__'], []],
  ])('after %j offers %j', (words, expected) => {
    expect(candidates(createProgram(contextOf({})), words)).toEqual(expected);
  });
});

describe('what is forwarded', () => {
  it('is verified by the rules of Standard Webhooks', async () => {
    const secret = newSecret();
    const body = '{"type":"transcription.completed"}';
    expect(await verifyWebhook(body, webhookHeaders('evt_1', body, secret, new Date()), secret)).toEqual({ type: 'transcription.completed' });
  });
});

describe('the doctor', () => {
  const now = new Date('2026-11-26T12:00:00Z');
  it.each([
    ['Thu, 26 Nov 2026 12:00:01 GMT', 'ok', /1 s/],
    ['Thu, 26 Nov 2026 11:50:00 GMT', 'warning', /600 s ahead/],
    ['Thu, 26 Nov 2026 12:10:00 GMT', 'warning', /600 s behind/],
    [null, 'warning', /does not say/],
  ])('compares the clock with %s', (date, state, detail) => {
    expect(clock(date, now)).toMatchObject({ state, detail: expect.stringMatching(detail) });
  });
});

it.each([[0, '00:00'], [61.9, '01:01'], [3723, '1:02:03']])('shows %s s as %s', (seconds, text) => {
  expect(clockTime(seconds)).toBe(text);
});
