import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, outageOf, silentLogger } from '@parlance/platform';
import type { SandboxLimits } from './confinement.js';
import { isFinalIngestFailure } from './intake/ingest-attempts.js';
import { createMediaSandbox, findExecutable, sandboxTimes, type MediaSandbox, type SandboxInput } from './sandbox.js';

let folder: string;
const until = (signal: AbortSignal): SandboxInput => ({ file: '/dev/null', signal });
const never = until(new AbortController().signal);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-sandbox-'));
  await mkdir(join(folder, 'bin'));
  await mkdir(join(folder, 'scratch'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A sandbox whose ffmpeg is a shell script, which starts programs: without isolation. */
async function sandboxOf(script: string, limits: Partial<SandboxLimits> = {}, options: { exhaustion?: () => Promise<unknown> } = {}): Promise<MediaSandbox> {
  const tool = join(folder, 'bin', 'ffmpeg');
  await writeFile(tool, `#!/bin/bash\n${script}\n`);
  await chmod(tool, 0o755);
  const path = [join(folder, 'bin'), process.env['PATH']].join(delimiter);
  return createMediaSandbox({ scratchFolder: join(folder, 'scratch'), log: silentLogger(), mode: 'limits', limits, path, ...options });
}

async function textOf(stdout: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stdout) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const leftBehind = () => readdir(join(folder, 'scratch'));

describe('a run', () => {
  it('sees an empty folder and nothing of the environment', async () => {
    process.env['PARLANCE_TEST_SECRET'] = 'hunter2';
    const run = await (await sandboxOf('ls -A; compgen -e | sort | tr "\\n" " "')).run('ffmpeg', [], never);
    const seen = await textOf(run.stdout);
    delete process.env['PARLANCE_TEST_SECRET'];
    const setByBash = ['OLDPWD', 'PWD', 'SHLVL', '_'];
    expect(seen.trim().split(' ').filter((name) => !setByBash.includes(name))).toEqual(['HOME', 'LC_ALL', 'TMPDIR']);
    expect(await run.end).toEqual({ kind: 'exited', code: 0, stderr: '' });
    expect(await leftBehind()).toEqual([]);
  });

  it('reports its exit code and the beginning of what it complained about', async () => {
    const run = await (await sandboxOf('echo first >&2; head -c 100000 /dev/zero | tr "\\0" x >&2; exit 3')).run('ffmpeg', [], never);
    await textOf(run.stdout);
    const end = await run.end;
    expect(end).toMatchObject({ kind: 'exited', code: 3, stderr: expect.stringMatching(/^first\nx+$/) });
    expect(end.stderr.length).toBeLessThanOrEqual(8192);
  });

  it('is killed with its children when it is aborted', async () => {
    const abort = new AbortController();
    const run = await (await sandboxOf('sleep 600 & echo started; wait')).run('ffmpeg', [], until(abort.signal));
    const output = run.stdout[Symbol.asyncIterator]();
    expect((await output.next()).done).toBe(false);
    abort.abort(new Error('canceled'));
    // Settles only when nobody holds the pipe any more, the sleeping grandchild included.
    await expect(run.end).rejects.toThrow('canceled');
    expect(await leftBehind()).toEqual([]);
  });

  it('is killed when its reader leaves early', async () => {
    const run = await (await sandboxOf('yes')).run('ffmpeg', [], never);
    for await (const piece of run.stdout) if (piece.length > 0) break;
    expect(await leftBehind()).toEqual([]);
    await run.end;
  });

  it('is over when its time is up', async () => {
    const run = await (await sandboxOf('exec sleep 600', { deadlineMs: 50 })).run('ffmpeg', [], never);
    await textOf(run.stdout);
    expect((await run.end).kind).toBe('limited');
  });

  it('gets no more processor time than allowed', async () => {
    const run = await (await sandboxOf('while :; do :; done', { cpuSeconds: 1 })).run('ffmpeg', [], never);
    await textOf(run.stdout);
    expect((await run.end).kind).toBe('limited');
  });

  it.each([1, 45, 24 * 60])('may go on for as long as its recording has, %d minutes, even on several cores: that this is too long is told by whoever counts them', (minutes) => {
    const { cpuSeconds, deadlineMs } = sandboxTimes(minutes);
    expect(deadlineMs).toBe(minutes * 60_000);
    expect(cpuSeconds).toBeGreaterThan(2 * minutes * 60);
  });

  it('gets no more memory than allowed', async () => {
    const script = 'dd if=/dev/zero of=/dev/null bs=300M count=1 2>/dev/null && echo had it';
    const outputWithin = async (megabytes: number) => {
      const run = await (await sandboxOf(script, { addressSpaceBytes: megabytes * 1024 * 1024 })).run('ffmpeg', [], never);
      return textOf(run.stdout);
    };
    expect([await outputWithin(1000), await outputWithin(200)]).toEqual(['had it\n', '']);
  });

  it.each([
    ['at once', 'kill -9 $$', 1800],
    ['after longer than its processor time, of which it used little', 'sleep 1.1; kill -9 $$', 1],
  ])('that the system killed %s, as it does when memory runs out, is tried again', async (_when, script, cpuSeconds) => {
    const run = await (await sandboxOf(script, { cpuSeconds })).run('ffmpeg', [], never);
    await textOf(run.stdout);
    const error = await run.end.then(() => undefined, (thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'internal', retryable: true });
    expect(isFinalIngestFailure(error)).toBe(false);
  });

  it('that ended for want of memory has hit its limit', async () => {
    const run = await (await sandboxOf('echo "talk.mov: Cannot allocate memory" >&2; exit 1')).run('ffmpeg', [], never);
    await textOf(run.stdout);
    expect((await run.end).kind).toBe('limited');
  });

  it.each([
    ['its libraries cannot be opened', 'echo "ffmpeg: error while loading shared libraries: libm.so.6: cannot open shared object file: Error 23" >&2; exit 127'],
    ['the launcher has no memory', 'echo "sandbox: /usr/bin/ffmpeg: Cannot allocate memory" >&2; exit 12'],
  ])('meets an outage when %s', async (_what, script) => {
    const run = await (await sandboxOf(script)).run('ffmpeg', [], never);
    await textOf(run.stdout);
    expect(outageOf(await run.end.catch((error: unknown) => error))).toMatchObject({ code: 'service_unavailable' });
    expect(await leftBehind()).toEqual([]);
  });

  it.each([
    ['no file can be opened here either', Object.assign(new Error('ENFILE'), { code: 'ENFILE' }), 'service_unavailable'],
    ['files can be opened here: no outage', undefined, undefined],
  ])('that says that the machine has no descriptor left is believed by what this process finds: %s', async (_when, exhaustion, code) => {
    const sandbox = await sandboxOf('echo "/dev/fd/0: Too many open files in system" >&2; exit 1', {}, { exhaustion: async () => exhaustion });
    const run = await sandbox.run('ffmpeg', [], never);
    await textOf(run.stdout);
    const failure: unknown = await run.end.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'internal' });
    expect(outageOf(failure)?.code).toBe(code);
  });

  it('meets no outage because its log quotes the words of the loader', async () => {
    const run = await (await sandboxOf('echo "title: x" >&2; echo "a: error while loading shared libraries: b: cannot open shared object file: Error 23" >&2; exit 1')).run('ffmpeg', [], never);
    await textOf(run.stdout);
    expect(await run.end).toMatchObject({ kind: 'exited', code: 1 });
  });

  it('writes no file', async () => {
    const run = await (await sandboxOf('trap "" XFSZ; echo data > file && cat file; exit 0')).run('ffmpeg', [], never);
    expect(await textOf(run.stdout)).toBe('');
    await run.end;
  });

  it('goes without limits where there is no prlimit, and says so once', async () => {
    await sandboxOf('echo here');
    const lines: string[] = [];
    const log = createLogger({ level: 'warn', destination: { write: (line) => void lines.push(line) } });
    const bare = createMediaSandbox({ scratchFolder: join(folder, 'scratch'), log, mode: 'limits', path: join(folder, 'bin') });
    for (let n = 0; n < 2; n += 1) expect(await textOf((await bare.run('ffmpeg', [], never)).stdout)).toBe('here\n');
    expect(lines).toEqual([expect.stringContaining('prlimit is not installed')]);
  });

  it('is refused when the tool is not there', async () => {
    const bare = createMediaSandbox({ scratchFolder: join(folder, 'scratch'), log: silentLogger(), mode: 'limits', path: join(folder, 'bin') });
    await expect(bare.run('ffprobe', [], never)).rejects.toMatchObject({ code: 'internal', message: 'ffprobe is not installed.' });
    expect(await leftBehind()).toEqual([]);
  });

  it('runs the program found at the start, whatever is put first on PATH later', async () => {
    const sandbox = await sandboxOf('echo first');
    await mkdir(join(folder, 'early'));
    await writeFile(join(folder, 'early', 'ffmpeg'), '#!/bin/bash\necho second\n', { mode: 0o755 });
    process.env['PATH'] = [join(folder, 'early'), process.env['PATH']].join(delimiter);
    expect(await textOf((await sandbox.run('ffmpeg', [], never)).stdout)).toBe('first\n');
    process.env['PATH'] = process.env['PATH'].split(delimiter).slice(1).join(delimiter);
  });
});

describe('findExecutable', () => {
  it('gives an absolute path and leaves out relative folders', async () => {
    await sandboxOf('true');
    expect(findExecutable('ffmpeg', ['bin', '.', '', join(folder, 'bin')].join(delimiter))).toBe(join(folder, 'bin', 'ffmpeg'));
    expect(findExecutable('ffmpeg', 'bin')).toBeUndefined();
  });
});

describe('a run that is fed', () => {
  const fedSandbox = async (script: string) => {
    await sandboxOf(script);
    const path = [join(folder, 'bin'), process.env['PATH']].join(delimiter);
    return createMediaSandbox({ scratchFolder: join(folder, 'scratch'), log: silentLogger(), mode: 'limits', path, feedLimits: { cpuSeconds: 1, maxCpuSeconds: 600 } });
  };
  const source = async function* () {
    yield Buffer.from('some ');
    yield Buffer.from('bytes');
  };
  const burn = 'end=$((SECONDS + 600)); while [ $SECONDS -lt $end ]; do read -r used _ < <(ps -o cputimes= -p $$); [ "$used" -ge 3 ] && break; for ((i = 0; i < 100000; i += 1)); do :; done; done';

  it('reads its source as it arrives', async () => {
    const run = await (await fedSandbox('cat')).feed('ffmpeg', [], { source: source(), signal: new AbortController().signal });
    expect(await textOf(run.stdout)).toBe('some bytes');
    expect(await run.end).toMatchObject({ kind: 'exited', code: 0 });
    expect(await leftBehind()).toEqual([]);
  });

  it('ends with the error of its source', async () => {
    const failing = async function* () {
      yield* source();
      throw new Error('the source is gone');
    };
    const run = await (await fedSandbox('cat')).feed('ffmpeg', [], { source: failing(), signal: new AbortController().signal });
    await textOf(run.stdout);
    await expect(run.end).rejects.toThrow('the source is gone');
  });

  it('has hit a limit when it met a gap that is too long, also when it exits by itself before it can be ended', async () => {
    const words = 'printf "Failed to compensate for time" >&2; sleep 0.05; echo "stamp delta of 3600.0" >&2';
    const ended = await (await fedSandbox(`cat > /dev/null; ${words}; sleep 600`)).feed('ffmpeg', [], { source: source(), signal: new AbortController().signal });
    expect([await textOf(ended.stdout), (await ended.end).kind]).toEqual(['', 'limited']);
    const exited = await (await fedSandbox(`cat > /dev/null; ${words}; exit 0`)).feed('ffmpeg', [], { source: source(), signal: new AbortController().signal });
    expect([await textOf(exited.stdout), (await exited.end).kind]).toEqual(['', 'limited']);
  });

  it('gets the processor time that is allowed while it runs, and no more', async () => {
    const sandbox = await fedSandbox(`cat > /dev/null; ${burn}; echo done`);
    const feed = { source: source(), signal: new AbortController().signal };
    const bounded = await sandbox.feed('ffmpeg', [], feed);
    expect([await textOf(bounded.stdout), (await bounded.end).kind]).toEqual(['', 'limited']);
    const raised = await sandbox.feed('ffmpeg', [], { ...feed, source: source() });
    raised.allowCpu(60);
    expect([await textOf(raised.stdout), (await raised.end).kind]).toEqual(['done\n', 'exited']);
  });
});
