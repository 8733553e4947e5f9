import { describe, expect, it } from '@jest/globals';
import { AppError } from '@parlance/platform';
import type { NewLastingMessage } from '../recognition/lasting-log.js';
import { SkippedAudio } from './skipped-audio.js';

const AUDIO = { encoding: 'pcm_s16le', sampleRate: 16_000, channels: 1 } as const;

/** @param room bytes that can be taken before the client is lost */
function setUp({ room = Infinity, flush = async () => {} }: { room?: number; flush?: () => Promise<void> } = {}) {
  const steps: (string | NewLastingMessage)[] = [];
  const connection = new AbortController();
  const intake = {
    end: 0,
    room: async (signal: AbortSignal) => {
      if (intake.end >= room) connection.abort(new AppError({ kind: 'canceled', code: 'client_gone', message: 'Gone.' }));
      signal.throwIfAborted();
    },
    flush: async (end?: number) => {
      await flush();
      steps.push(`stored ${end}`);
    },
  };
  const append = (bytes: Buffer) => {
    intake.end += bytes.byteLength;
    return true;
  };
  const skipped = new SkippedAudio({ audio: AUDIO, intake, append, announce: async (gap) => void steps.push(gap), signal: connection.signal });
  return { skipped, steps };
}

describe('skipped audio', () => {
  it('is announced once its silence is stored', async () => {
    const { skipped, steps } = setUp();
    await skipped.skip(5000);
    expect(steps).toEqual(['stored 160000', { type: 'gap', from_ms: 0, to_ms: 5000, reason: 'skipped' }]);
  });

  it('is announced as far as it was stored when the client is lost within it', async () => {
    const { skipped, steps } = setUp({ room: 100_000 });
    void skipped.skip(60_000);
    await skipped.settled();
    expect(steps).toEqual(['stored 131072', { type: 'gap', from_ms: 0, to_ms: 4096, reason: 'skipped' }]);
  });

  it('is not announced when it cannot be stored', async () => {
    const { skipped, steps } = setUp({ flush: () => Promise.reject(new AppError({ code: 'storage_full', message: 'Full.' })) });
    await expect(skipped.skip(1000)).rejects.toMatchObject({ code: 'storage_full' });
    await skipped.settled();
    expect(steps).toEqual([]);
  });
});
