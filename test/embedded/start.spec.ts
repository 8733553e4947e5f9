import { execFileSync } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { lstat, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { canIsolateHere, eventually, NO_ADD_ONS, ParlanceProcess, runStandalone, SAMPLES, type JobAnswer } from '@parlance/testing';
import { reservePort } from '@parlance/platform/contract';

const FIXTURE = { SPEECH_ENGINE_URL: 'fixture:' };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-start-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const start = (env: Record<string, string> = FIXTURE) => ParlanceProcess.start({ dataFolder: folder, env });
const once = (...recordings: string[]) => runStandalone(['--once', ...recordings], { ...FIXTURE, PARLANCE_DATA: folder });

describe('an installation', () => {
  let installation: string;
  let parlance: ParlanceProcess;
  let job: JobAnswer;
  const opened = new AsyncDisposableStack();
  const at = (name: string) => join(installation, name);

  beforeAll(async () => {
    installation = opened.adopt(await mkdtemp(join(tmpdir(), 'parlance-installation-')), (path) => rm(path, { recursive: true, force: true }));
    parlance = opened.use(await ParlanceProcess.start({ dataFolder: installation, env: FIXTURE }));
    job = await parlance.api.terminal(await parlance.api.upload(SAMPLES.reading.path, NO_ADD_ONS));
  });
  afterAll(() => opened.disposeAsync());

  it('says how far ffmpeg is isolated, in its health, its metrics and its log', async () => {
    const ready = (await (await fetch(`${parlance.api.url}/health/ready`)).json()) as { details: Record<string, string> };
    const level = ready.details['media_sandbox'];
    expect(canIsolateHere() ? ['isolated'] : ['filtered', 'other-user', 'limits']).toContain(level);
    expect(await (await fetch(`${parlance.api.url}/metrics`)).text()).toContain(`parlance_media_sandbox{level="${level}"} 1`);
    expect(await parlance.log()).toContain(`media sandbox: ${level}`);
  });

  it('refuses a second process on its folder in one line', async () => {
    const { code, stderr } = await runStandalone(['--no-sample'], { ...FIXTURE, PARLANCE_DATA: parlance.dataFolder });
    expect([code, lines(stderr)]).toEqual([1, [expect.stringContaining('another Parlance process is using')]]);
  });

  it('finds everything that was there at its next start, and keeps it from other users of the machine', async () => {
    expect(await parlance.stop()).toBe(0);
    await parlance.restart();
    expect(await parlance.api.job(job.job_id)).toEqual(job);
    expect((await fetch(`${parlance.api.url}/health/ready`)).status).toBe(200);
    expect(((await stat(at('api-key'))).mode & 0o777).toString(8)).toBe('600');
    for (const kept of ['events.db', 'documents/ingest.db', 'documents/gateway.db', 'parlance.log']) {
      expect([kept, (await stat(at(kept))).mode & 0o077]).toEqual([kept, 0]);
    }
  });

  it('without its key file makes a new key of the same account, and says so', async () => {
    const lost = parlance.api;
    const { account_id } = await lost.json<{ account_id: string }>('/account');
    expect(await parlance.stop()).toBe(0);
    await rm(at('api-key'));
    const { stdout } = await runStandalone(['--once', '--no-sample'], { ...FIXTURE, PARLANCE_DATA: installation });
    expect(stdout).toContain(`a new key of your account ${account_id}`);
    expect(stdout).toContain((await readFile(at('api-key'), 'utf8')).trim());
    await parlance.restart();
    expect(await parlance.log()).toContain('created a new key of the same account');
    expect((await parlance.api.job(job.job_id)).status).toBe('completed');
    expect((await parlance.api.as(lost.apiKey).job(job.job_id)).status).toBe('completed');
  });
});

describe('a start', () => {
  it('is ready only when the file with the first key is written', async () => {
    const port = await reservePort();
    const keyFile = join(folder, 'api-key');
    const readiness = async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status;
    execFileSync('mkfifo', [keyFile]);
    const starting = start({ ...FIXTURE, PORT: String(port) });
    // Opens when the start reads its key file, and holds it there.
    const pipe = await open(keyFile, 'w');
    expect(await readiness()).toBe(503);
    await pipe.close();
    await eventually('readiness', async () => (await readiness()) === 200);
    expect((await lstat(keyFile)).isFile()).toBe(true);
    await (await starting).stop();
  });

  it.each([
    ['LOG_LEVEL', 'loud'],
    ['SPEECH_ENGINE_URL', 'telepathy:'],
    ['EVENT_BUS_URL', 'carrier-pigeon:'],
    ['DATABASE_URL', 'clay-tablet:'],
    ['MEDIA_URL', 'shellac:'],
    ['BOOTSTRAP_API_KEY_FILE', '/nowhere/key'],
  ])('with a wrong %s stops with one clear line', async (name, value) => {
    const { code, stderr, stdout } = await runStandalone(['--no-sample'], { ...FIXTURE, PARLANCE_DATA: folder, [name]: value });
    expect([code, lines(stderr), stdout]).toEqual([1, [expect.stringContaining(name)], '']);
  });

  it('with several wrong settings has a line for each', async () => {
    const wrong = {
      BOOTSTRAP_API_KEY: 'short',
      CHUNK_IDEAL_SECONDS: 'y',
      EGRESS_ALLOW: '10.0.0.0/8,nonsense',
      MEDIA_MAX_BYTES: '-1',
      PORT: 'many',
      WEBHOOK_RETRY_SCHEDULE: '5,soon',
      WEBHOOK_TIMEOUT_SECONDS: 'z',
    };
    const { code, stderr } = await runStandalone([], { PARLANCE_DATA: folder, ...wrong });
    expect(code).toBe(1);
    expect(lines(stderr).toSorted()).toEqual(Object.keys(wrong).map((name) => expect.stringContaining(name)));
  });

  it('on a port that is taken, or with an unknown option, stops with one clear line', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const taken = await runStandalone(['--no-sample'], { ...FIXTURE, PARLANCE_DATA: folder, PORT: String(port) });
    await new Promise((resolve) => server.close(resolve));
    expect([taken.code, lines(taken.stderr)]).toEqual([1, [expect.stringContaining(String(port))]]);
    const unknown = await runStandalone(['--nonsense'], { PARLANCE_DATA: folder });
    expect([unknown.code, lines(unknown.stderr)]).toEqual([1, [expect.stringContaining('--nonsense')]]);
  });

  it('takes the operator’s first key, given or in a file, and keeps the jobs of the account', async () => {
    const key = 'operators-own-key-0123456789';
    await using parlance = await start({ ...FIXTURE, BOOTSTRAP_API_KEY: key });
    expect((await readFile(join(folder, 'api-key'), 'utf8')).trim()).toBe(key);
    const jobId = await parlance.api.upload(SAMPLES.reading.path, NO_ADD_ONS);
    await parlance.stop();

    const next = 'operators-next-key-0123456789';
    await writeFile(join(folder, 'key-file'), `${next}\n`);
    await using again = await start({ ...FIXTURE, BOOTSTRAP_API_KEY_FILE: join(folder, 'key-file') });
    expect(again.api.apiKey).toBe(next);
    expect((await again.api.terminal(jobId)).status).toBe('completed');
    expect((await again.api.as(key).request('GET', `/transcriptions/${jobId}`)).status).toBe(200);
  });

  it('transcribes for clients without a key, at /asr alone, when the operator has named a key for them', async () => {
    const key = 'operators-own-key-0123456789';
    await using parlance = await start({ ...FIXTURE, BOOTSTRAP_API_KEY: key, ASR_ANONYMOUS_KEY: key, COMPAT_ROOTS: 'asr' });
    const root = new URL(parlance.api.url).origin;
    const body = new FormData();
    body.append('audio_file', await openAsBlob(SAMPLES.reading.path), 'reading.flac');
    const response = await fetch(`${root}/asr?output=srt`, { method: 'POST', body });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('-->')]);
    const statusOf = async (path: string, headers?: Record<string, string>) => (await fetch(root + path, { ...(headers && { headers }) })).status;
    expect(await Promise.all(['/compat/asr/health', '/compat/assemblyai/v2/transcript', '/v1/models', '/api/v1/transcriptions'].map((path) => statusOf(path)))).toEqual([200, 401, 401, 401]);
    expect(await statusOf('/compat/asr/health', { authorization: 'Bearer wrong' })).toBe(401);
    expect(await statusOf('/compat/asr/health', { origin: 'https://example.org' })).toBe(401);
  });
});

describe('SIGTERM in the middle of a job', () => {
  it('ends with 0, and the next start finishes the job', async () => {
    // The first chunk takes an hour: the signal interrupts it, however late it comes. A shorter grace ends the wait for it sooner.
    const slow = { SPEECH_ENGINE_URL: 'fixture:?delayMs=3600000&parallelism=1', SHUTDOWN_GRACE_SECONDS: '10', CHUNK_IDEAL_SECONDS: '5', CHUNK_MAX_SECONDS: '10' };
    await using parlance = await start(slow);
    const jobId = await parlance.api.upload(SAMPLES.meeting.path, NO_ADD_ONS);
    await eventually('the first chunk', async () => (await parlance.api.job(jobId)).stages.transcription?.status === 'running');
    const watching = parlance.api.events(jobId)[Symbol.asyncIterator]();
    await watching.next();
    expect(await parlance.stop()).toBe(0);
    expect(await parlance.scratch()).toEqual([]);
    await parlance.restart({ SPEECH_ENGINE_URL: 'fixture:' });
    const job = await parlance.api.terminal(jobId);
    expect(job).toMatchObject({ status: 'completed', transcript: { text: expect.stringMatching(/\w/) } });
    expect(await parlance.log()).not.toMatch(/"level":"(error|fatal)"/);
  });
});

describe('--once', () => {
  it('prints the transcript and ends with 0; with 1 when one of the recordings did not come back. The key is shown the first time only', async () => {
    const first = await once(SAMPLES.reading.path);
    expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/── reading\.flac \(job_\w+\)\n\w+/)]);
    const key = (await readFile(join(folder, 'api-key'), 'utf8')).trim();
    expect(first.stdout).toContain(key);
    const readme = SAMPLES.reading.path.replace('reading.flac', 'README.md');
    const second = await once(SAMPLES.reading.path, readme, '/nowhere/talk.mp3');
    expect(second.code).toBe(1);
    expect(second.stdout).not.toContain(key);
    expect(second.stdout).toMatch(/── reading\.flac \(job_\w+\)\n\w+/);
    expect(second.stdout).toMatch(/── README\.md \(job_\w+\)\nfailed: The file is not audio or video/);
    expect(second.stdout).toMatch(/── talk\.mp3\nfailed: \/nowhere\/talk\.mp3 does not exist/);
  });

  it('says where a valid key comes from when the one that it kept is valid no more', async () => {
    await writeFile(join(folder, 'api-key'), 'revoked-meanwhile-0123456789\n');
    const { code, stdout } = await once(SAMPLES.reading.path);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/api-key is not valid any more[^]*admin -- keys create/)]);
  });
});
