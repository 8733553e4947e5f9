import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
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

  it('runs it below the priority of the process that answers callers', async () => {
    const mark = uniqueMark();
    const silero = new SileroProcess({ mark }, { program: FAULTY });
    const priorities = running(mark).map((pid) => getPriority(pid));
    await silero.close();
    expect(priorities).toEqual([Math.min(constants.priority.PRIORITY_LOW, getPriority() + constants.priority.PRIORITY_BELOW_NORMAL)]);
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
  const detect = async (between: () => void | Promise<void> = () => {}, detector = new SileroVoiceActivityDetector(), signal = never) => {
    const regions = [];
    for await (const region of detector.detect(blocks(between), signal)) regions.push(region);
    return regions;
  };
  const own = (): number[] => running('silero').filter((pid) => parentOf(pid) === process.pid);

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

  describe('with an idle time', () => {
    const HOUR_MS = 3_600_000;
    const opened = new AsyncDisposableStack();
    const keeping = (idleMs = HOUR_MS) => opened.adopt(new SileroVoiceActivityDetector({ idleMs }), (detector) => detector.close());
    afterAll(async () => {
      await opened.disposeAsync();
      expect(own()).toEqual([]);
    });

    it('is kept for the next recording, which it judges as the first one', async () => {
      const detector = keeping();
      const whole = await detect(undefined, detector);
      expect(whole).toEqual(await detect());
      const kept = own();
      expect(kept).toHaveLength(1);
      expect(await detect(() => expect(own()).toEqual(kept), detector)).toEqual(whole);
      await detector.close();
      expect(own()).toEqual([]);
    });

    it('is the only one that is kept when several recordings end', async () => {
      const detector = keeping();
      await Promise.all([1, 2, 3].map(() => detect(undefined, detector)));
      expect(own()).toHaveLength(1);
      await detector.close();
    });

    it('is replaced when it has died meanwhile, when its recording failed, and when that was aborted', async () => {
      const detector = keeping();
      const whole = await detect(undefined, detector);
      const [first = 0] = own();
      process.kill(first, 'SIGKILL');
      await waitUntil(() => own().length === 0);
      expect(await detect(undefined, detector)).toEqual(whole);
      const broken = detect(() => Promise.reject(new Error('disk')), detector);
      await expect(broken).rejects.toThrow('disk');
      expect(own()).toEqual([]);
      expect(await detect(undefined, detector)).toEqual(whole);
      const abort = new AbortController();
      await expect(detect(() => abort.abort(), detector, abort.signal)).rejects.toMatchObject({ code: 'canceled' });
      expect(own()).toEqual([]);
      expect(await detect(undefined, detector)).toEqual(whole);
      expect(own()).toHaveLength(1);
      await detector.close();
    });

    it('ends after that time without a recording', async () => {
      const whole = await detect(undefined, keeping(1));
      await waitUntil(() => own().length === 0);
      expect(whole.length).toBeGreaterThan(0);
    });

    it('does not keep its parent from ending, and ends with it', async () => {
      const script = fileURLToPath(new URL('../../test/keep-detector.mjs', import.meta.url));
      const { stdout } = await promisify(execFile)(process.execPath, [script], { env: { PATH: process.env['PATH'] } });
      await waitUntil(() => !argumentsOf(stdout.trim()).includes('silero'));
      expect(Number(stdout)).toBeGreaterThan(0);
    });
  });

  it('that finds no free descriptor for its pipes reports an outage', async () => {
    const script = fileURLToPath(new URL('../../test/detect-without-descriptors.mjs', import.meta.url));
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, script], { env: { PATH: process.env['PATH'] } });
    expect(stdout.trim()).toBe('service_unavailable');
  });

  it('goes on when the terminal interrupts its parent, which has its own way to end', async () => {
    const interrupted = await detect(() => own().forEach((pid) => process.kill(pid, 'SIGINT')));
    expect(interrupted).toEqual(await detect());
    expect(own()).toEqual([]);
  });

  it('ends when its parent is killed', async () => {
    const script = fileURLToPath(new URL('../../test/cancel-detection.mjs', import.meta.url));
    const parent = spawn(process.execPath, [script, '1000'], { stdio: 'ignore' });
    const started = () => running('silero').filter((pid) => parentOf(pid) === parent.pid);
    await waitUntil(() => started().length > 0);
    const [pid] = started();
    parent.kill('SIGKILL');
    await waitUntil(() => !argumentsOf(String(pid)).includes('silero'));
  });
});

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
