import { describe, expect, it, test } from '@jest/globals';
import { common } from '@parlance/contracts';
import { FAILURE, mediaReady, play, queuedJob, TRANSCRIPT_ONLY, transcribed } from './job.fixture.js';
import type { JobInput } from './job-input.js';

const started: JobInput = { type: 'started', run: 1 };
const failed = (code: string): JobInput => ({ type: 'ingest_failed', run: 1, error: { ...FAILURE, code } });
const searched: JobInput = { type: 'stage_finished', run: 1, stage: 'search', status: 'completed', warnings: [] };
const options = (mediaRetentionHours: number) => common.JobOptions.fromPartial({ ...TRANSCRIPT_ONLY, mediaRetentionHours });
const hoursKept = ({ completedAt, mediaExpiresAt }: { completedAt?: string; mediaExpiresAt?: string }) =>
  mediaExpiresAt === undefined ? undefined : (Date.parse(mediaExpiresAt) - Date.parse(completedAt ?? '')) / 3_600_000;

describe('the media of a job', () => {
  test.each([
    ['of one that can never succeed go at once', [started, failed('media_unsupported')], undefined, 0],
    ['of one that failed otherwise go after a day', [started, failed('media_timeout')], undefined, 24],
    ['of one that failed are kept no longer than a day', [started, failed('internal')], 100, 24],
    ['of one that failed go earlier when that was asked for', [started, failed('internal')], 1, 1],
    ['of one that completed stay', [started, mediaReady(), transcribed(), searched], undefined, undefined],
    ['of one that completed go when that was asked for, and the transcript stays', [started, mediaReady(), transcribed(), searched], 0, 0],
    ['of one that was canceled go when that was asked for', [started, { type: 'cancel' } as JobInput], 5, 5],
  ] as const)('%s', (_what, inputs, asked, hours) => {
    expect(hoursKept(play(queuedJob(asked === undefined ? TRANSCRIPT_ONLY : options(asked)), [...inputs]).job)).toBe(hours);
  });

  it('that were removed are refused to a retry by name; media that were never brought in are fetched then', () => {
    const fetched: JobInput = { type: 'source_fetched', run: 1 };
    const gone = play(queuedJob(), [started, fetched, failed('media_corrupt'), { type: 'media_expired' }, { type: 'media_erased' }]).job;
    expect(gone).toMatchObject({ mediaRemovedAt: expect.any(String) });
    expect(gone).not.toHaveProperty('mediaExpiresAt');
    expect(() => play(gone, [{ type: 'retry' }])).toThrow(expect.objectContaining({ kind: 'conflict', code: 'media_removed' }));
    const never = play(queuedJob(), [started, failed('media_corrupt'), { type: 'media_expired' }, { type: 'retry' }]).job;
    expect(never).toMatchObject({ status: 'queued', run: 2 });
    expect(never).not.toHaveProperty('mediaRemovedAt');
  });

  it('stay while the job runs again, and until their time', () => {
    const retried = play(queuedJob(), [started, failed('internal'), { type: 'retry' }]).job;
    expect(play(retried, [{ type: 'media_expired' }]).job).not.toHaveProperty('mediaRemovedAt');
    const early = play(queuedJob(), [started, failed('internal')]).job;
    expect(play(early, [{ type: 'media_expired' }]).job).not.toHaveProperty('mediaRemovedAt');
  });
});
