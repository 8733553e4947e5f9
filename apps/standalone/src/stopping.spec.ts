import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { childEnvironment, SAMPLES, STANDALONE, START_FLAGS } from '@parlance/testing';

/** What `npm start` does after its set-up. */
const RUN_PRODUCT = `
  const { runProduct } = await import(${JSON.stringify(resolve('scripts/run-product.mjs'))});
  process.exitCode = await runProduct(['--no-sample']);`;

/** Reads on afterwards, so that nothing waits for a reader. */
const served = ({ stdout }: ChildProcess) =>
  new Promise<void>((done) => stdout && createInterface({ input: stdout }).on('line', (line) => line.startsWith('Ctrl-C stops') && done()));

describe('npm start, when it serves,', () => {
  let folder: string;
  let starter: ChildProcess;
  let said: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-stopping-'));
    starter = spawn(process.execPath, ['--input-type=module', '-e', RUN_PRODUCT], {
      env: { ...childEnvironment(), PORT: '0', SPEECH_ENGINE_URL: 'fixture:', PARLANCE_DATA: join(folder, 'data') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    said = '';
    starter.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    await served(starter);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.each(['SIGINT', 'SIGTERM'] as const)('says at %s that it stops, and how to be quicker', async (signal) => {
    const closed = once(starter, 'close');
    starter.kill(signal);
    expect(await closed).toEqual([0, null]);
    expect(said).toBe('\nStopping… (Ctrl-C again to stop at once)\n');
  });

  it('stops what it started when it is killed', async () => {
    // The service has these streams too: they close when it is gone.
    const closed = once(starter, 'close');
    starter.kill('SIGKILL');
    await closed;
    expect(said).toContain('Stopping…');
  });
});

describe('npm start whose output is no longer read', () => {
  it.each(['stdout', 'stderr'] as const)('transcribes on when the reader of %s is gone', async (stream) => {
    await using opened = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'parlance-unread-'));
    opened.defer(() => rm(folder, { recursive: true, force: true }));
    const child = spawn(process.execPath, [...START_FLAGS, STANDALONE, '--once', SAMPLES.reading.path], {
      env: { ...childEnvironment(), PORT: '0', SPEECH_ENGINE_URL: 'fixture:', PARLANCE_DATA: join(folder, 'data') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let read = '';
    for (const each of [child.stdout, child.stderr]) each.setEncoding('utf8').on('data', (text: string) => (read += text));
    child[stream].destroy();
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(read).not.toContain('EPIPE');
  });
});
