import { describe, expect, it } from '@jest/globals';
import { ENDED_SIGNALS, neverAborted } from './signals.js';
import type { SpeechRecognizer } from '../speech/speech-recognizer.js';

interface RecognizerUnderTest {
  recognizer: SpeechRecognizer;
  /** A few seconds with speech in it, in the language; s16le, 16 kHz, one channel. */
  speech: { pcm: Uint8Array; language: string };
}

/** No engine supports Klingon. */
const UNSUPPORTED = 'tlh';
const BYTES_PER_SECOND = 32_000;
const isWholeMilliseconds = (seconds: number): boolean => Math.abs(seconds * 1000 - Math.round(seconds * 1000)) < 1e-6;

/** What every adapter of `SpeechRecognizer` does. */
export function describeSpeechRecognizerContract(name: string, given: () => RecognizerUnderTest): void {
  describe(`${name}, as a speech recognizer`, () => {
    const recognize = (more: Partial<Parameters<SpeechRecognizer['recognize']>[0]> = {}) => {
      const { recognizer, speech } = given();
      return recognizer.recognize({ ...speech, signal: neverAborted, ...more });
    };
    let first: ReturnType<typeof recognize> | undefined;
    /** One answer for all cases that only look at it. */
    const answer = () => (first ??= recognize());

    it('describes itself, and can run here', async () => {
      const { info } = given().recognizer;
      expect(info.name).toMatch(/^[a-z]+(:\S+)?$/);
      for (const language of info.languages) expect(language).toMatch(/^[a-z]{2,3}$/);
      expect(info.idealChunkSeconds).toBeLessThanOrEqual(info.maxChunkSeconds);
      expect(info.parallelism).toBeGreaterThanOrEqual(1);
      await expect(given().recognizer.check()).resolves.toBeUndefined();
    });

    it('returns words in order of time and within the chunk, to the millisecond', async () => {
      const { words } = await answer();
      expect(words.length).toBeGreaterThan(0);
      const seconds = given().speech.pcm.byteLength / BYTES_PER_SECOND;
      let last = 0;
      for (const { start, end, text } of words) {
        expect(text).toMatch(/^\S+$/);
        expect([start >= last, end >= start, end <= seconds + 1e-6]).toEqual([true, true, true]);
        expect([isWholeMilliseconds(start), isWholeMilliseconds(end)]).toEqual([true, true]);
        last = start;
      }
    });

    it('gives words a confidence from 0 to 1 where it says that it does, and else none', async () => {
      const { words } = await answer();
      const confidences = words.flatMap(({ confidence }) => confidence ?? []);
      expect(confidences.every((confidence) => confidence >= 0 && confidence <= 1)).toBe(true);
      const { wordConfidence } = given().recognizer.info;
      expect(confidences.length === words.length ? ['always', 'sometimes'] : ['never', 'sometimes']).toContain(wordConfidence);
    });

    it('names the language that it detected where it says that it does, and none that the request named', async () => {
      const { info } = given().recognizer;
      expect((await answer()).language).toBeUndefined();
      const { language, languageConfidence, words } = await recognize({ language: undefined });
      expect(words.length).toBeGreaterThan(0);
      expect(language === undefined).toBe(!info.reportsLanguage);
      if (language !== undefined) expect(info.languages).toContain(language.split('-')[0]);
      if (info.languageConfidence === 'always') expect(languageConfidence).toBeGreaterThanOrEqual(0);
      if (info.languageConfidence === 'never') expect(languageConfidence).toBeUndefined();
      if (info.reportsLanguage) expect(info.detectsLanguage).toBe(true);
    });

    it.each([0, 1, 1_600, 32_000])('finds no word in %d bytes of silence', async (bytes) => {
      expect((await recognize({ pcm: new Uint8Array(bytes) })).words).toEqual([]);
    });

    it('transcribes two chunks at once as it does one', async () => {
      const alone = await answer();
      const both = await Promise.all([recognize(), recognize()]);
      expect(both).toEqual([alone, alone]);
    });

    it('warns where it does not use a vocabulary, and only there', async () => {
      const { warnings = [] } = await recognize({ vocabulary: ['Parlance'] });
      const isUnsupported = warnings.some(({ code }) => code === 'vocabulary_unsupported');
      expect(isUnsupported).toBe(!given().recognizer.info.vocabulary);
    });

    it('refuses a language that it does not support', async () => {
      await expect(recognize({ language: UNSUPPORTED })).rejects.toMatchObject({ kind: 'invalid', code: 'language_unsupported', retryable: false });
    });

    it.each(ENDED_SIGNALS)('ends a call that was %s before it began', async (_what, signal, code) => {
      await expect(recognize({ signal: signal() })).rejects.toMatchObject({ code });
    });

    it('works again after a canceled call', async () => {
      const canceled = new AbortController();
      const call = recognize({ signal: canceled.signal }).catch((error: unknown) => error);
      canceled.abort();
      // It may have been done before.
      const ended = await call;
      if ('code' in (ended as object)) expect(ended).toMatchObject({ code: 'canceled' });
      expect((await recognize()).words.length).toBeGreaterThan(0);
    });
  });
}
