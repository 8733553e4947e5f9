import { describe, expect, it } from '@jest/globals';
import type { gateway } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { LiveAudio } from './live-audio.js';
import { liveFinished, liveJob } from './state/live.fixture.js';
import type { JobInput } from './state/job-input.js';
import { play } from './state/job.fixture.js';

function setUp(answer: () => Promise<gateway.GetLiveAudioResponse>) {
  const asked: unknown[] = [];
  const applied: JobInput[] = [];
  const warned: unknown[] = [];
  const audio = new LiveAudio({ getLiveAudio: (request) => (asked.push(request), answer()) }, { apply: async (_id, input) => (applied.push(input as JobInput), undefined) }, { warn: (...entry: unknown[]) => warned.push(entry) } as never);
  return { audio, asked, applied, warned };
}

describe('the audio of a live session whose job ends without it', () => {
  it('is noted as far as the gateway has taken it', async () => {
    const { audio, asked, applied } = setUp(async () => ({ milliseconds: 4200 }));
    await audio.note(liveJob());
    expect([asked, applied]).toEqual([[{ accountId: 'acc_1', jobId: 'job_1' }], [{ type: 'live_audio_taken', milliseconds: 4200 }]]);
  });

  it('is not asked for once the session has ended', async () => {
    const { audio, asked } = setUp(async () => ({ milliseconds: 1 }));
    for (const job of [play(liveJob(), [liveFinished()]).job, play(liveJob(), [{ type: 'cancel' }]).job]) await audio.note(job);
    expect(asked).toEqual([]);
  });

  it('keeps no job from ending while the gateway does not answer', async () => {
    const { audio, applied, warned } = setUp(() => Promise.reject(new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'It is away.' })));
    await audio.note(liveJob());
    expect([applied, warned.length]).toEqual([[], 1]);
  });
});
