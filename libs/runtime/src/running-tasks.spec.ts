import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { RunningTasks } from './running-tasks.js';

const never = new AbortController().signal;

const untilAborted = async (signal: AbortSignal) => {
  if (!signal.aborted) await once(signal, 'abort');
  signal.throwIfAborted();
  return 'done';
};

describe('RunningTasks', () => {
  it('stops every task of a job, and of no other', async () => {
    const running = new RunningTasks();
    const tasks = [running.run('job_1', never, untilAborted), running.run('job_1', never, untilAborted)];
    const closing = new AbortController();
    const other = running.run('job_2', closing.signal, untilAborted);
    running.stop('job_1');
    expect(await Promise.all(tasks)).toEqual([undefined, undefined]);
    closing.abort(new Error('closing'));
    await expect(other).rejects.toThrow('closing');
  });

  it('passes results and errors of the work on', async () => {
    const running = new RunningTasks();
    expect(await running.run('job_1', never, async () => 5)).toBe(5);
    await expect(running.run('job_1', never, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    running.stop('job_1');
  });
});
