import { describe, expect, test } from '@jest/globals';
import { AppError } from '@parlance/platform';
import { isRecognitionGivenUp, withFailure, type EndFailures } from './end-failures.js';

const NO_ROOM = new AppError({ code: 'no_live_capacity', message: 'No room.' });
const AWAY = new AppError({ code: 'service_unavailable', message: 'Away.' });
const STALLED = new AppError({ code: 'service_unavailable', kind: 'timeout', message: 'Stalled.' });
const REFUSED = new AppError({ code: 'engine_refused', message: 'No.' });

describe('the recognition of a session whose end failed', () => {
  test.each<[string, AppError[], AppError, boolean]>([
    ['is tried again after few failures', [STALLED, STALLED, STALLED, STALLED], STALLED, false],
    ['is given up when it fails again and again', [STALLED, STALLED, STALLED, STALLED, STALLED], STALLED, true],
    ['is given up at once when another try changes nothing', [], REFUSED, true],
    ['is not given up because the engines had no room', Array.from({ length: 12 }, () => NO_ROOM), NO_ROOM, false],
    ['does not count outages as failures of its own', [...Array.from({ length: 12 }, () => AWAY), STALLED], STALLED, false],
    ['is not given up during an outage', [STALLED, STALLED, STALLED, STALLED, STALLED], AWAY, false],
    ['is given up after hours of outages', Array.from({ length: 16 }, () => AWAY), AWAY, true],
  ])('%s', (_, before, error, givenUp) => {
    const failures = before.reduce(withFailure, { since: '', failures: 0 } as EndFailures);
    expect(isRecognitionGivenUp(failures, error)).toBe(givenUp);
  });
});
