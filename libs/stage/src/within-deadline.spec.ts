import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { AppError, outageOf } from '@parlance/platform';
import { withinDeadline } from './within-deadline.js';

const never = new AbortController().signal;
const untilAborted = (signal: AbortSignal) => sleep(60_000, undefined, { signal });

it('work that takes too long is aborted, and fails by a code that the job’s owner reads', async () => {
  const late = withinDeadline(untilAborted, { signal: never, deadlineMs: 1, what: 'The summary' });
  await expect(late).rejects.toMatchObject({ code: 'engine_timeout', message: 'The summary took too long.', retryable: true });
  const lateMedia = withinDeadline(untilAborted, { signal: never, deadlineMs: 1, what: 'Decoding the media', code: 'media_timeout' });
  await expect(lateMedia).rejects.toMatchObject({ code: 'media_timeout', message: 'Decoding the media took too long.', retryable: true });
});

it('work that is aborted from outside fails by its own error', async () => {
  const stopped = AbortSignal.abort(new Error('closing'));
  await expect(withinDeadline(untilAborted, { signal: stopped, deadlineMs: 60_000, what: 'The summary' })).rejects.toMatchObject({ name: 'AbortError' });
});

it('work that waits for an outage until its deadline fails by that outage, which does not count as a failed try', async () => {
  const away = new AppError({ kind: 'unavailable', code: 'database_unavailable', message: 'The database cannot be used now.' });
  const work = (signal: AbortSignal) => untilAborted(signal).catch(() => Promise.reject(new Error('the query failed', { cause: away })));
  const late: unknown = await withinDeadline(work, { signal: never, deadlineMs: 1, what: 'The summary' }).catch((error: unknown) => error);
  expect(late).toMatchObject({ code: 'engine_timeout' });
  expect(outageOf(late)).toBe(away);
});
