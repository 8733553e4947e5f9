import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '@parlance/platform';
import { Upkeep } from './upkeep.js';

const MINUTE = 60_000;

describe('the rounds of the upkeep', () => {
  let rounds: { schedules: number; retention: number; reports: number; erasures: number };
  let outage: PromiseWithResolvers<void>;
  let signal: AbortSignal | undefined;
  let upkeep: Upkeep;
  let wholeRounds: number;

  beforeEach(() => {
    jest.useFakeTimers();
    rounds = { schedules: 0, retention: 0, reports: 0, erasures: 0 };
    outage = Promise.withResolvers();
    wholeRounds = 0;
    const step = (name: keyof typeof rounds) => ({ run: async () => void (rounds[name] += 1) });
    const waits = {
      run: (given: AbortSignal) => {
        rounds.retention += 1;
        signal = given;
        return outage.promise;
      },
    };
    const noJobs = { all: async function* () {}, apply: async () => undefined };
    upkeep = new Upkeep({ ...step('schedules'), runWhole: async () => void (wholeRounds += 1) }, waits, step('reports'), step('erasures'), { run: async () => {} }, noJobs, silentLogger());
    upkeep.start({ afterUncleanStop: false });
  });
  afterEach(() => void jest.useRealTimers());

  it('do not pile up while one waits in an outage, and the other kinds continue', async () => {
    await jest.advanceTimersByTimeAsync(5 * MINUTE);
    expect(rounds).toEqual({ schedules: 5, retention: 1, reports: 5, erasures: 5 });
    outage.resolve();
    await jest.advanceTimersByTimeAsync(2 * MINUTE);
    expect(rounds).toEqual({ schedules: 7, retention: 3, reports: 7, erasures: 7 });
    await upkeep.close();
  });

  it('are aborted by a stop, which does not wait for the outage', async () => {
    await jest.advanceTimersByTimeAsync(MINUTE);
    const closed = jest.fn();
    void upkeep.close().then(closed);
    await jest.advanceTimersByTimeAsync(0);
    expect(closed).toHaveBeenCalledTimes(1);
    expect(signal?.aborted).toBe(true);
    await jest.advanceTimersByTimeAsync(5 * MINUTE);
    expect(rounds.retention).toBe(1);
  });

  it('begin with a whole round of the schedules after an unclean stop', async () => {
    expect(wholeRounds).toBe(0);
    await upkeep.resume();
    expect({ wholeRounds, schedules: rounds.schedules }).toEqual({ wholeRounds: 1, schedules: 0 });
    await upkeep.close();
  });
});
