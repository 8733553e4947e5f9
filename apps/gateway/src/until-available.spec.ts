import { describe, expect, it } from '@jest/globals';
import { AppError, silentLogger } from '@parlance/platform';
import { untilAvailable } from './until-available.js';

const BACK_OFF = { initialDelayMs: 1, maxDelayMs: 1 };

describe('a step of the start', () => {
  const failing = (errors: Error[]) => {
    let calls = 0;
    const work = async () => {
      calls += 1;
      const error = errors.shift();
      if (error) throw error;
      return calls;
    };
    return { work, calls: () => calls };
  };

  it('waits for the service that it needs', async () => {
    const away = () => new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'A part of the service does not respond; try again.' });
    expect(await untilAvailable(failing([away(), away()]).work, silentLogger(), BACK_OFF)).toBe(3);
  });

  it.each([new AppError({ kind: 'unavailable', code: 'keys_unavailable', message: 'The key is missing.', retryable: false }), new Error('broken')])('is not tried again after %s', async (error) => {
    const { work, calls } = failing([error]);
    await expect(untilAvailable(work, silentLogger(), BACK_OFF)).rejects.toBe(error);
    expect(calls()).toBe(1);
  });
});
