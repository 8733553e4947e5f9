import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { outageOf } from '@parlance/platform';
import { samplePcm } from '../../test/sample-pcm.js';
import { SileroProcess } from './silero-process.js';
import { SileroVoiceActivityDetector } from './silero-voice-activity-detector.js';

const never = new AbortController().signal;
const FAULTY = new URL('../../test/faulty-silero.mjs', import.meta.url);
const block = new Int16Array(new SharedArrayBuffer(2 * 31_744));

/** Programs that run and have this in their arguments, from /proc. */
const running = (argument: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && argumentsOf(name).includes(argument))
    .map(Number);

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Asks three times, of which the third meets the fault. @param mark for `running` */
async function meet(fault: string, mark: string): Promise<unknown> {
  const silero = new SileroProcess({ fault, mark }, { program: FAULTY });
  for (let nth = 1; nth < 3; nth += 1) expect(await silero.hearSamples(block, never)).toEqual([]);
  return silero.hearSamples(block, never).catch((error: unknown) => error);
}

const uniqueMark = () => `mark-${process.pid}-${Math.random()}`;

describe('SileroProcess', () => {
  it.each([
    ['killed', 'ended by SIGKILL'],
    ['aborted', 'ended by SIGABRT'],
    ['no JSON', 'returned an invalid answer'],
    ['other JSON', 'returned an invalid answer'],
    ['two answers', 'returned an invalid answer'],
    ['endless', 'returned an invalid answer'],
  ])('calls it engine_failed, to be tried again, when it is or gives: %s', async (fault, cause) => {
    const mark = uniqueMark();
    expect(await meet(fault, mark)).toMatchObject({ code: 'engine_failed', retryable: true, message: expect.stringContaining(cause) });
    expect(running(mark)).toEqual([]);
  });

  it('calls it engine_failed, to be tried again, when the system refuses to start it', async () => {
    // As too little memory does, arguments that are too long have it thrown at once.
    const silero = new SileroProcess({ fault: 'x'.repeat(4 * 1024 * 1024) }, { program: FAULTY });
    await expect(silero.hearSamples(block, never)).rejects.toMatchObject({ code: 'engine_failed', retryable: true, message: expect.stringContaining('could not be started') });
    await silero.close();
  });

  it('does not wait for ever for one that hangs, and leaves nothing of it', async () => {
    const mark = uniqueMark();
    const silero = new SileroProcess({ fault: 'hanging', mark }, { program: FAULTY, answerMs: 500 });
    // Where it takes this long to start, that is what it is given up for.
    const untilItHangs = async () => {
      for (;;) expect(await silero.hearSamples(block, never)).toEqual([]);
    };
    await expect(untilItHangs()).rejects.toMatchObject({ code: 'engine_failed', retryable: true, message: expect.stringContaining('within 0.5 seconds') });
    expect(running(mark)).toEqual([]);
  });

  it.each([
    ['canceled', () => AbortSignal.abort()],
    ['engine_timeout', () => AbortSignal.timeout(20)],
  ])('is killed by an abort, which is %s', async (code, signal) => {
    const mark = uniqueMark();
    const silero = new SileroProcess({ fault: 'hanging', mark }, { program: FAULTY });
    await silero.hearSamples(block, never);
    expect(running(mark)).toHaveLength(1);
    await silero.hearSamples(block, never);
    await expect(silero.hearSamples(block, signal())).rejects.toMatchObject({ code });
    await silero.close();
    expect(running(mark)).toEqual([]);
  });

  it('says what one that ends at once complained of, without folders of the machine', async () => {
    const silero = new SileroProcess({ fault: 'unloadable' }, { program: FAULTY });
    await expect(silero.hearSamples(block, never)).rejects.toMatchObject({ code: 'engine_failed', message: expect.stringMatching(/ended with status 255: model.onnx is no model\.$/) });
    await expect(silero.hearSamples(block, never)).rejects.toMatchObject({ code: 'engine_failed' });
  });

  it('reports an outage, which is waited for, when its process found no free descriptor', async () => {
    const silero = new SileroProcess({ fault: 'exhausted' }, { program: FAULTY });
    const error = await silero.hearSamples(block, never).catch((thrown: unknown) => thrown);
    expect(outageOf(error)).toMatchObject({ code: 'service_unavailable' });
  });

  it('can be closed more than once, and be asked nothing after that', async () => {
    const silero = new SileroProcess({}, { program: FAULTY });
    await Promise.all([silero.close(), silero.close()]);
    await expect(silero.hearEnd(never)).rejects.toMatchObject({ code: 'engine_failed' });
  });
});

describe('the process of the real model', () => {
  const pcm = samplePcm('reading.flac');
  async function* blocks(between: () => void | Promise<void>): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < pcm.byteLength; at += 64_000) {
      yield pcm.subarray(at, at + 64_000);
      await between();
    }
  }
  const detect = async (between: () => void | Promise<void> = () => {}) => {
    const regions = [];
    for await (const region of new SileroVoiceActivityDetector().detect(blocks(between), never)) regions.push(region);
    return regions;
  };
  const own = (): number[] => running('silero-worker.mjs').filter((pid) => parentOf(pid) === process.pid);

  it('fails the detection that it is killed in, not the one beside it or the next, and none is left behind', async () => {
    const whole = await detect();
    expect(whole.length).toBeGreaterThan(0);
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const beside = detect(() => {
      begun.resolve();
      return goOn.promise;
    });
    await begun.promise;
    const [kept] = own();
    const cut = detect(() => own().filter((pid) => pid !== kept).forEach((pid) => process.kill(pid, 'SIGKILL')));
    await expect(cut).rejects.toMatchObject({ code: 'engine_failed', retryable: true, message: expect.stringContaining('SIGKILL') });
    goOn.resolve();
    expect(await beside).toEqual(whole);
    expect(own()).toEqual([]);
    expect(await detect()).toEqual(whole);
  });

  it('goes on when the terminal interrupts its parent, which has its own way to end', async () => {
    const interrupted = await detect(() => own().forEach((pid) => process.kill(pid, 'SIGINT')));
    expect(interrupted).toEqual(await detect());
    expect(own()).toEqual([]);
  });

  it('ends when its parent is killed', async () => {
    const script = fileURLToPath(new URL('../../test/cancel-detection.mjs', import.meta.url));
    const parent = spawn(process.execPath, [script, '1000'], { stdio: 'ignore' });
    const started = () => running('silero-worker.mjs').filter((pid) => parentOf(pid) === parent.pid);
    let [pid] = started();
    for (; pid === undefined; [pid] = started()) await new Promise((resolve) => setTimeout(resolve, 5));
    parent.kill('SIGKILL');
    while (argumentsOf(String(pid)).includes('silero-worker.mjs')) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
