import { describe, expect, it } from '@jest/globals';
import { AppError, toAppError } from '../errors/app-error.js';
import { createLogger } from './logger.js';

function logged(err: unknown): Record<string, unknown> {
  const lines: string[] = [];
  createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } }).warn({ err }, 'failed');
  return (JSON.parse(lines.join('')) as { err: Record<string, unknown> }).err;
}

describe('an error in the log', () => {
  it('that is to be expected says what it is, and what it comes from, without a stack', () => {
    const cause = new Error('connect ECONNREFUSED', { cause: new TypeError('fetch failed') });
    const away = new AppError({ kind: 'unavailable', code: 'engine_failed', message: 'The server cannot be reached.', cause });
    const causes = ['Error: connect ECONNREFUSED', 'TypeError: fetch failed'];
    expect(logged(away)).toEqual({ type: 'AppError', kind: 'unavailable', code: 'engine_failed', message: 'The server cannot be reached.', retryable: true, causes });
    expect(logged(new AppError({ kind: 'invalid', code: 'invalid_name', message: 'A name has letters.' }))).not.toHaveProperty('stack');
  });

  it('that is a defect has its stack, and that of its cause', () => {
    const defect = new TypeError('undefined is not a function');
    expect(logged(defect)['stack']).toContain('logger.spec');
    expect(logged(toAppError(defect))['stack']).toContain('caused by: TypeError: undefined is not a function');
  });
});
