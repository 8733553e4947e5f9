import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { outageOf } from '@parlance/platform';
import { SherpaProcess } from './sherpa-process.js';
import { SherpaProcesses } from './sherpa-processes.js';

const never = new AbortController().signal;
const WORKER = new URL('../../test/obedient-worker.mjs', import.meta.url);
const opened: SherpaProcesses[] = [];

function processes({ limit = 1, idleMs = 60_000, load = {} }: { limit?: number; idleMs?: number; load?: object } = {}): SherpaProcesses {
  const made = new SherpaProcesses({ limit, idleMs, start: () => new SherpaProcess(WORKER, load, 'the model') });
  opened.push(made);
  return made;
}
const ask = (of: SherpaProcesses, question: object, signal = never) => of.use(signal, (process) => process.ask(question, signal)) as Promise<{ echo?: unknown; pid: number }>;
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

describe('SherpaProcesses', () => {
  it('keeps a process from one piece of work to the next, and ends it when closed', async () => {
    const one = processes();
    const first = await ask(one, { echo: 1 });
    const second = await ask(one, { echo: 2 });
    expect([first.echo, second.echo, second.pid]).toEqual([1, 2, first.pid]);
    await one.close();
    expect(isRunning(first.pid)).toBe(false);
  });

  it('works with as many as allowed, the others wait their turn', async () => {
    const two = processes({ limit: 2 });
    const answers = await Promise.all([1, 2, 3, 4, 5].map((echo) => ask(two, { echo })));
    expect(answers.map(({ echo }) => echo)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(2);
  });

  it('calls a crash engine_failed, and begins anew', async () => {
    const one = processes();
    const { pid } = await ask(one, {});
    await expect(ask(one, { crash: true })).rejects.toMatchObject({ code: 'engine_failed', retryable: true, message: expect.stringContaining('SIGSEGV') });
    expect((await ask(one, {})).pid).not.toBe(pid);
  });

  it('reports an outage, which is waited for, when a process found no memory or no descriptor', async () => {
    const failed = await ask(processes({ load: { exhausted: true } }), {}).catch((thrown: unknown) => thrown);
    expect(outageOf(failed)).toMatchObject({ code: 'service_unavailable' });
    // A process of its own: a limit that it lowers for itself is not this one's.
    const script = fileURLToPath(new URL('../../test/recognize-without-descriptors.mjs', import.meta.url));
    const { stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual(['service_unavailable', 'service_unavailable']);
  });

  it('ends work that hangs when it is canceled or its time is over, and is free for the next', async () => {
    const one = processes();
    const { pid } = await ask(one, {});
    const abort = new AbortController();
    const hanging = one.use(abort.signal, (process) => {
      const answer = process.ask({ hang: true }, abort.signal);
      abort.abort();
      return answer;
    });
    const waiting = ask(one, { echo: 'next' });
    await expect(hanging).rejects.toMatchObject({ code: 'canceled' });
    expect(isRunning(pid)).toBe(false);
    expect((await waiting).echo).toBe('next');
    await expect(ask(one, { hang: true }, AbortSignal.timeout(50))).rejects.toMatchObject({ code: 'engine_timeout', retryable: true });
  });

  it('lets who waits for a turn give up', async () => {
    const one = processes();
    const [first, second] = [new AbortController(), new AbortController()];
    const hanging = ask(one, { hang: true }, first.signal);
    const waiting = ask(one, {}, second.signal);
    second.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'canceled' });
    first.abort();
    await expect(hanging).rejects.toMatchObject({ code: 'canceled' });
    expect((await ask(one, { echo: 1 })).echo).toBe(1);
  });

  it('says what a model that cannot be loaded said, without folders of the machine', async () => {
    const error = await ask(processes({ load: { fail: true } }), {}).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'engine_failed', retryable: false, message: 'The process of the model ended with status 255: model.onnx is no model.' });
  });

  it('gives up a process that refuses its settings', async () => {
    const one = processes({ load: { refuse: true } });
    for (let time = 0; time < 2; time += 1) {
      const refused = { code: 'engine_failed', retryable: false, message: 'The process of the model failed: Please check your config in model!.' };
      await expect(ask(one, {})).rejects.toMatchObject(refused);
    }
  });

  it('does not take an answer for good during which something was complained of', async () => {
    const one = processes();
    await expect(ask(one, { complain: true })).rejects.toMatchObject({ code: 'engine_failed', message: 'The process of the model failed while it decoded.' });
    expect((await ask(one, { echo: 1 })).echo).toBe(1);
  });

  it('is free for the next when the machine would not start a process', async () => {
    let isFull = true;
    const start = () => {
      if (isFull) throw new Error('spawn ENOMEM');
      return new SherpaProcess(WORKER, {}, 'the model');
    };
    const one = new SherpaProcesses({ limit: 1, idleMs: 60_000, start });
    opened.push(one);
    await expect(ask(one, {})).rejects.toThrow('ENOMEM');
    isFull = false;
    expect((await ask(one, { echo: 1 })).echo).toBe(1);
  });

  it('ends when its parent is killed', async () => {
    const program = `const { fork } = require('node:child_process'); console.log(fork(${JSON.stringify(fileURLToPath(WORKER))}).pid); setInterval(() => {}, 1e6);`;
    const parent = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
    const pid = Number(await new Promise<Buffer>((resolve) => parent.stdout.once('data', resolve)));
    expect(isRunning(pid)).toBe(true);
    parent.kill('SIGKILL');
    while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('gives memory back when there is nothing to do', async () => {
    const one = processes({ idleMs: 1 });
    const { pid } = await ask(one, {});
    while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await ask(one, {})).pid).not.toBe(pid);
  });
});
