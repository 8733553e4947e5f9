import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { reservePort } from '@parlance/platform/contract';
import { eventually, SAMPLES, WebhookReceiver, type TestApi } from '@parlance/testing';
import { verifyWebhook } from '../../../sdks/javascript/src/index.js';
import { product } from '../../system/fixture-engine/product.js';
import { HoldingProxy } from '../client-kills/holding-proxy.js';
import { PHASES } from '../client-kills/phases.js';

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const PROGRAM = at('sdks/command/bin/parlance.js');
/** Milliseconds for which the server is away. A command tries several times in them, and for more than a minute in all. */
const AWAY_MS = 4000;

interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

let api: TestApi;
let folder: string;

beforeAll(() => {
  const { status, stderr } = spawnSync(process.execPath, [at('scripts/parlance.mjs'), '--version'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
});

beforeEach(async () => {
  api = await (await product()).newAccount();
  folder = await mkdtemp(join(tmpdir(), 'command-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function start(args: readonly string[], env: Record<string, string> = {}): { child: ChildProcess; result: Promise<Result>; output: () => string } {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder, PARLANCE_BASE_URL: api.url, PARLANCE_API_KEY: api.apiKey, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return { child, output: () => stdout + stderr, result: once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr })) };
}

const parlance = (...args: string[]) => start(args).result;

const jobIds = async () => (await api.json<{ data: { job_id: string }[] }>('/transcriptions?limit=100')).data.map(({ job_id: id }) => id);

/** In front of the product: it knows when the command has its job and waits for it, and can be away. */
const waitingProxy = async () => HoldingProxy.start(PHASES['a wait for the job'], api.url, await reservePort());

describe('the command parlance', () => {
  it('prints the text of a recording, and nothing else, where nothing is a terminal', async () => {
    const { code, stdout, stderr } = await parlance('transcribe', SAMPLES.reading.path, '--language', 'en', '--metadata', 'project=apollo');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [id = ''] = await jobIds();
    const job = await api.job(id);
    expect(job).toMatchObject({ metadata: { project: 'apollo' }, file_name: 'reading.flac' });
    expect(stdout.replaceAll(/Speaker \d+: |\s+/g, ' ').trim()).toBe(job.transcript?.text.replaceAll(/\s+/g, ' '));
  });

  it('encrypts a recording for the server with --seal, and says where it cannot', async () => {
    const { code, stdout, stderr } = await parlance('transcribe', SAMPLES.reading.path, '--seal');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trim()).not.toBe('');
    const [id = ''] = await jobIds();
    expect(await api.job(id)).toMatchObject({ file_name: 'reading.flac.age', media: { sealed: true, format: 'flac' } });
    expect((await parlance('transcribe', 'https://media.example/talk.mp3', '--seal')).stderr).toContain('--seal encrypts files');
    expect((await parlance('transcribe', SAMPLES.reading.path, '--seal', '--idempotency-key', 'one')).code).toBe(2);
  });

  it('writes several formats of several recordings, and says which failed', async () => {
    const output = join(folder, 'out');
    const { code, stderr } = await parlance('transcribe', SAMPLES.reading.path, SAMPLES.report.path, 'none.mp3', '--format', 'srt,docx', '-o', output);
    expect(code).toBe(3);
    expect(stderr).toContain('error: none.mp3: The file does not exist.');
    expect((await readdir(output)).toSorted()).toEqual(['reading.docx', 'reading.srt', 'report.docx', 'report.srt']);
    expect(await readFile(join(output, 'reading.srt'), 'utf8')).toMatch(/^1\r?\n00:00:/);
  });

  it('leaves the job at Ctrl-C, and prints its id and how to take it up', async () => {
    await using proxy = await waitingProxy();
    const { child, result } = start(['transcribe', SAMPLES.meeting.path], { PARLANCE_BASE_URL: proxy.url });
    await proxy.held;
    const [id = ''] = await jobIds();
    child.kill('SIGINT');
    const { code, stdout, stderr } = await result;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toContain(`parlance export ${id} --wait --format txt`);
    expect(await parlance('export', id, '--wait')).toMatchObject({ code: 0, stdout: expect.stringMatching(/\w/) });
  });

  it('waits for a server that goes away while a job runs', async () => {
    await using proxy = await waitingProxy();
    const { result } = start(['transcribe', SAMPLES.reading.path], { PARLANCE_BASE_URL: proxy.url });
    await proxy.held;
    proxy.leave();
    await sleep(AWAY_MS);
    await proxy.comeBack(api.url);
    // It says so when one of its requests met the closed port.
    expect(await result).toMatchObject({ code: 0, stdout: expect.stringMatching(/\w/), stderr: expect.not.stringContaining('error:') });
  });

  it('transcribes each content of a folder once, also when it is stopped before it noted the job', async () => {
    const watched = join(folder, 'recordings');
    const state = join(watched, '.parlance-watch.json');
    const watch = (...more: string[]) => parlance('transcribe', '--watch', watched, '--once', '--settle', '1', '-o', join(folder, 'texts'), '--json', ...more);
    await mkdir(watched);
    await cp(SAMPLES.reading.path, join(watched, 'talk.flac'));
    await cp(SAMPLES.reading.path, join(watched, 'copy.flac'));
    await writeFile(join(watched, 'broken.mp3'), 'no audio');
    expect((await watch()).code).toBe(3);
    expect(await jobIds()).toHaveLength(2);
    const noted = await readFile(state, 'utf8');
    await writeFile(state, noted.replace('"done"', '"submitting"').replaceAll(/"job_id": "[^"]*",\s*/g, ''));
    expect(await watch()).toMatchObject({ code: 0, stdout: expect.stringContaining('"status":"done"') });
    expect(await jobIds()).toHaveLength(2);
    await cp(join(watched, 'talk.flac'), join(watched, 'moved.flac'));
    await rm(join(watched, 'talk.flac'));
    expect(await watch()).toMatchObject({ code: 0, stdout: '' });
    expect(await jobIds()).toHaveLength(2);
    expect((await watch('--retry-failed')).code).toBe(1);
    expect(await jobIds()).toHaveLength(3);
  });

  it('finds, asks, renames and lists', async () => {
    const id = await api.upload(SAMPLES.report.path);
    const words = (await api.terminal(id)).transcript?.text.split(/\s+/).slice(0, 3) ?? [];
    await eventually('the passage', async () => (await parlance('search', ...words)).stdout.includes(id));
    expect(await parlance('speakers', 'rename', id, 'S1', 'Ada')).toMatchObject({ code: 0, stdout: 'S1  Ada\n' });
    expect((await parlance('speakers', 'list', id)).stdout).toMatch(/^S1 {2}00:\d\d {2}Ada\n/);
    expect((await parlance('ask', 'Who', 'said', ...words, '--job', id)).stdout).toMatch(/\[1\] job_/);
    expect((await parlance('list', '--status', 'completed')).stdout).toContain('report.mp4');
    expect(JSON.parse((await parlance('get', id, '--json')).stdout)).toMatchObject({ job_id: id, status: 'completed' });
    expect((await parlance('usage')).stdout).toMatch(/total +\d+\.\d min/);
  });

  it('prints the finals of a live session, and what to do with its job', async () => {
    const { code, stdout, stderr } = await parlance('live', SAMPLES.reading.path);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/\w/) });
    const [, id = ''] = /parlance export (job_\w+) --wait/.exec(stderr) ?? [];
    expect(await parlance('export', id, '--wait')).toMatchObject({ code: 0, stdout: expect.stringContaining(stdout.split(' ')[0] ?? '') });
  });

  it('forwards events as signed webhooks', async () => {
    await using receiver = await WebhookReceiver.start();
    const { child, result, output } = start(['webhooks', 'listen', '--forward-to', receiver.url, '--events', 'transcription.completed']);
    const secret = await eventually('the secret', () => /whsec_\S+/.exec(output())?.[0]);
    await eventually('the start', () => output().includes('Listening'));
    const id = await api.upload(SAMPLES.reading.path);
    const { raw, headers } = await eventually('the event', () => receiver.of(id)[0]);
    expect(await verifyWebhook(raw, headers, secret)).toMatchObject({ type: 'transcription.completed', data: { job_id: id } });
    await eventually('the line', () => output().includes(`transcription.completed  ${id}`));
    child.kill('SIGINT');
    expect((await result).code).toBe(130);
  });

  it('checks what could be wrong, and says what to do', async () => {
    expect(await parlance('doctor')).toMatchObject({ code: 0, stdout: expect.stringMatching(/ok {4}key: valid[^]*ok {4}clock[^]*ok {4}model default: fixture/) });
    expect(await start(['doctor'], { PARLANCE_API_KEY: 'pl_wrong' }).result).toMatchObject({ code: 4, stdout: expect.stringMatching(/FAIL {2}key[^]*parlance login/) });
  });
});
