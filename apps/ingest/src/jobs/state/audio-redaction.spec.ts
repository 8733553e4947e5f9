import { describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import { advance } from './job-state-machine.js';
import type { JobInput } from './job-input.js';
import { after, FAILURE, mediaReady, play, queuedJob, transcribed } from './job.fixture.js';
import { mediaRetentionHours } from './media-retention.js';

const STARTED: JobInput = { type: 'started', run: 1 };
const TRANSCRIBED = [STARTED, mediaReady(), transcribed()];
const SEARCHED: JobInput = { type: 'stage_finished', run: 1, stage: 'search', status: 'completed', warnings: [] };
const REDACTED: JobInput = { type: 'audio_redacted', run: 1, media: { format: 'ogg', sha256: 'abc', sizeBytes: 10 } };
const FAILED: JobInput = { type: 'ingest_failed', run: 1, error: FAILURE };

const job = (redaction: Partial<common.Redaction> = {}, diarization = false) =>
  queuedJob(common.JobOptions.fromPartial({ diarization: { enabled: diarization }, summary: { enabled: false }, highlights: false, redaction: { policies: ['person'], style: 'label', audio: 'silence', ...redaction } }));

describe('the redaction of a recording', () => {
  it('is requested once the words are known, and the job is completed after it', () => {
    const before = play(job(), TRANSCRIBED);
    expect(before.types.filter((type) => type === 'ingest.requested')).toHaveLength(1);
    const searched = play(before.job, [SEARCHED]);
    expect([searched.job.status, searched.job.progress.stage]).toEqual(['processing', 'audio_redaction']);
    const redacted = play(searched.job, [REDACTED]);
    expect(redacted.job).toMatchObject({ status: 'completed', media: { format: 'ogg', sha256: 'abc', duration: 120 }, stages: { audio_redaction: { status: 'completed' } }, warnings: [] });
  });

  it('waits until diarization has read the audio', () => {
    const before = play(job({}, true), TRANSCRIBED);
    expect(before.types).not.toContain('ingest.requested');
    expect(advance(before.job, REDACTED, after(100))).toBeUndefined();
    const diarized = play(before.job, [{ type: 'stage_finished', run: 1, stage: 'diarization', status: 'failed', error: FAILURE, warnings: [] }]);
    expect(diarized.types.filter((type) => type === 'ingest.requested')).toHaveLength(1);
  });

  it('is a warning when it fails: the transcript stays, and the original a day for a retry', () => {
    const failed = play(job(), [...TRANSCRIBED, SEARCHED, FAILED]).job;
    expect(failed).toMatchObject({ status: 'completed', stages: { audio_redaction: { status: 'failed' } }, warnings: [{ code: 'audio_redaction_failed' }] });
    expect(failed.mediaExpiresAt).toBe(after(24 * 3600, failed.completedAt));
    const again = play(failed, [{ type: 'retry' }]);
    expect(again.types).toContain('ingest.requested');
    const redacted = play(again.job, [{ ...REDACTED, run: 2 } as JobInput]).job;
    expect([redacted.mediaExpiresAt, redacted.warnings]).toEqual([undefined, []]);
  });

  it('leaves no original of a canceled job, unless it is kept', () => {
    const canceled = (redaction: Partial<common.Redaction>) => mediaRetentionHours(play(job(redaction), [STARTED, { type: 'cancel' }]).job);
    expect([canceled({}), canceled({ keepOriginal: true })]).toEqual([0, undefined]);
  });
});
