import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runStandalone, SAMPLES } from '@parlance/testing';

const FIXTURE = { SPEECH_ENGINE_URL: 'fixture:' };

describe('npm start with arguments that are no recordings', () => {
  let folder: string;
  let data: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-arguments-'));
    data = join(folder, 'data');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("says of each in one line what to do, or what the server's code and request id are; transcribes the others and ends with 1", async () => {
    const at = (name: string) => join(folder, name);
    await mkdir(at('recordings'));
    await writeFile(at('empty.mp3'), '');
    execFileSync('mkfifo', [at('pipe.wav')]);
    const socket = createServer().listen(at('socket.wav'));
    const bad = {
      [at('recordings')]: 'is a folder',
      [at('empty.mp3')]: 'is empty',
      [at('pipe.wav')]: 'is a pipe',
      [at('socket.wav')]: 'is a socket',
      '/dev/zero': 'is a device',
      'ftp://example.org/talk.mp3': 'http:// or https://',
      'file:///talk.mp3': 'the path of a file',
      'https://': 'not a valid URL',
    };
    const credentials = 'http://user:secret@example.org/talk.mp3';
    const ownMachine = 'http://127.0.0.1:9/talk.mp3';
    const { code, stdout, stderr } = await runStandalone(['--once', ...Object.keys(bad), credentials, ownMachine, SAMPLES.reading.path], { ...FIXTURE, PARLANCE_DATA: data });
    await new Promise((resolve) => socket.close(resolve));
    expect(code).toBe(1);
    const failures = stdout.split('\n').filter((line) => line.startsWith('failed: '));
    expect(failures).toEqual([
      ...Object.entries(bad).map(([source, why]) => expect.stringMatching(new RegExp(`^failed: ${source}.*${why}`))),
      expect.stringMatching(/^failed: .+ \([a-z_]+, request req_\w+\)$/),
      // The setting that allows an address of this machine.
      expect.stringMatching(/^failed: .+address_forbidden.+EGRESS_ALLOW=127\.0\.0\.0\/8/),
    ]);
    expect(stdout).toMatch(/── reading\.flac \(job_\w+\)\n\w+/);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('finds in --help the setting that allows an address of this machine', async () => {
    expect((await runStandalone(['--help'], {})).stdout).toContain('EGRESS_ALLOW');
  });

  it('does not know --halp, and says where the options are', async () => {
    const { code, stderr } = await runStandalone(['--halp'], { PARLANCE_DATA: data });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Unknown option '--halp'; .*--help shows the options.*\n$/)]);
  });

  it.each([
    ['a file', 'file', 'is a file'],
    ['below a file', 'file/data', 'below a file'],
    ['where nobody can write', '/sys/data', 'choose a writable folder'],
    ['where no folder can be made', '/proc/data/below', 'cannot be created'],
  ])('stops with one line when PARLANCE_DATA is %s', async (_, path, why) => {
    await writeFile(join(folder, 'file'), 'x');
    const where = path.startsWith('/') ? path : join(folder, path);
    const { code, stderr, stdout } = await runStandalone(['--no-sample'], { ...FIXTURE, PARLANCE_DATA: where });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(new RegExp(`^PARLANCE_DATA: ${where} .*${why}.*\\n$`))]);
  });

  it.each([
    ['a file that is not there', ['nowhere.wav'], 'nowhere.wav does not exist'],
    ['a folder', ['/'], 'is a folder'],
    ['an address', ['https://example.org/talk.mp3'], '--live plays a file'],
    ['other recordings', [SAMPLES.reading.path, 'talk.mp3'], '--live plays one file'],
  ])('stops with one line when --live has %s', async (_, [file = '', ...others], why) => {
    const { code, stderr, stdout } = await runStandalone(['--live', file, ...others], { ...FIXTURE, PARLANCE_DATA: data });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(new RegExp(`^.*${why}.*\\n$`))]);
  });

  it('says that a file has no audio, makes no session of it, and ends with 1', async () => {
    const text = join(folder, 'text.wav');
    await writeFile(text, 'no audio at all');
    const { code, stdout } = await runStandalone(['--live', text], { ...FIXTURE, PARLANCE_DATA: data });
    expect([code, stdout]).toEqual([1, expect.stringMatching(/\nfailed: .*text\.wav has no audio that can be played: /)]);
  });

  it('plays a file into a live session, and ends with the transcript of its job and 0', async () => {
    const { code, stdout } = await runStandalone(['--live', SAMPLES.reading.path], { ...FIXTURE, PARLANCE_DATA: data });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\n\[ 0:00\] \w[^]*\n── reading\.flac \(job_\w+\)\n\w[^]*GET \/api\/v1\/transcriptions\/job_\w+\/transcript\n/)]);
  });

  it.each(['folder', 'folder/file/log'])('stops with one line when LOG_FILE is %s', async (path) => {
    await mkdir(join(folder, 'folder'), { recursive: true });
    await writeFile(join(folder, 'folder', 'file'), 'x');
    const { code, stderr } = await runStandalone(['--no-sample'], { ...FIXTURE, PARLANCE_DATA: data, LOG_FILE: join(folder, path) });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^LOG_FILE: .+\n$/)]);
  });
});
