import { describe, expect, it } from '@jest/globals';
import type { AudioPiece, SpeakerDiarizer } from '../diarization/speaker-diarizer.js';
import { ENDED_SIGNALS, neverAborted } from './signals.js';

interface DiarizerUnderTest {
  diarizer: SpeakerDiarizer;
  /** A recording of two people or more who speak in turn, anew for each call. */
  conversation: () => Promise<{ seconds: number; pieces: AudioPiece[] }>;
}

/** What every adapter of `SpeakerDiarizer` does. */
export function describeSpeakerDiarizerContract(name: string, given: () => DiarizerUnderTest): void {
  describe(`${name}, as a speaker diarizer`, () => {
    const diarize = async (more: Partial<Parameters<SpeakerDiarizer['diarize']>[0]> = {}) => {
      const { pieces } = await given().conversation();
      return given().diarizer.diarize({ audio: each(pieces), signal: neverAborted, ...more });
    };
    let first: ReturnType<typeof diarize> | undefined;
    /** One answer for all cases that only look at it. */
    const answer = () => (first ??= diarize());

    it('describes itself, and can run here', async () => {
      expect(given().diarizer.info.name).not.toBe('');
      await expect(given().diarizer.check()).resolves.toBeUndefined();
    });

    it('returns turns in order of their start and within the recording, named in the order of first speaking', async () => {
      const { turns, speakerCount } = await answer();
      const { seconds } = await given().conversation();
      expect(speakerCount).toBeGreaterThanOrEqual(2);
      expect([...new Set(turns.map(({ speakerId }) => speakerId))]).toEqual(Array.from({ length: speakerCount }, (_, index) => `S${index + 1}`));
      expect(turns.map(({ start }) => start)).toEqual(turns.map(({ start }) => start).toSorted((one, other) => one - other));
      for (const { start, end } of turns) expect([start >= 0, end > start, end <= seconds + 0.5]).toEqual([true, true, true]);
    });

    it('keeps to the maximum number of speakers', async () => {
      const { turns, speakerCount } = await diarize({ maxSpeakers: 1 });
      expect([speakerCount, new Set(turns.map(({ speakerId }) => speakerId))]).toEqual([1, new Set(['S1'])]);
    });

    it('finds nobody in a recording without audio', async () => {
      expect(await diarize({ audio: each([]) })).toMatchObject({ turns: [], speakerCount: 0 });
    });

    it('gives the same answer again', async () => {
      expect(await diarize()).toEqual(await answer());
    });

    it.each(ENDED_SIGNALS)('ends a call that was %s before it began', async (_what, signal, code) => {
      await expect(diarize({ signal: signal() })).rejects.toMatchObject({ code });
    });
  });
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
