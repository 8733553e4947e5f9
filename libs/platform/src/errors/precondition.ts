import { AppError } from './app-error.js';

/**
 * Requires that a resource is still in a state that its caller has read (RFC 9110, section 13.1.1).
 * @param ifMatch the states that the caller accepts; empty: any
 * @throws AppError precondition_failed
 */
export function requireMatch(ifMatch: readonly string[], current: string): void {
  if (ifMatch.length === 0 || ifMatch.includes(current)) return;
  throw new AppError({ code: 'precondition_failed', message: 'The resource was changed since it was read: its ETag is not in If-Match. Read it again.' });
}
