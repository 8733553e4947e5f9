import { describe, expect, it } from '@jest/globals';
import { recognizeExpectedLanguage, type ExpectedLanguages } from './recognize-expected-language.js';
import type { Recognition, RecognitionRequest } from './speech-recognizer.js';

const request: RecognitionRequest = { pcm: new Uint8Array(2), signal: new AbortController().signal };
const WORD = { start: 0, end: 1, text: 'hallo' };

/** Recognizes with an engine that detects the given languages. Returns the result and the languages of the requests. */
async function recognize(detection: Partial<Recognition>, expected: ExpectedLanguages) {
  const asked: (string | undefined)[] = [];
  const engine = async ({ language }: RecognitionRequest): Promise<Recognition> => {
    asked.push(language);
    return language === undefined ? { words: [WORD], ...detection } : { words: [{ ...WORD, text: `in ${language}` }] };
  };
  const { words, warnings, ...recognition } = await recognizeExpectedLanguage(engine, request, expected);
  return { ...recognition, asked, text: words.map(({ text }) => text).join(' '), codes: (warnings ?? []).map(({ code }) => code) };
}

describe('recognition in one of the expected languages', () => {
  it('takes what was detected when it is expected, whatever its region, with one call', async () => {
    expect(await recognize({ language: 'de', languageConfidence: 0.7 }, { expected: ['fr', 'de-AT'], minConfidence: 0.5 })).toEqual({
      asked: [undefined], text: 'hallo', language: 'de-AT', languageConfidence: 0.7, spoken: 'de-AT', isUncertain: false, codes: [],
    });
  });

  it('recognizes again in the fallback what was detected as another language', async () => {
    expect(await recognize({ language: 'cy' }, { expected: ['de', 'en'], fallback: 'en' })).toEqual({
      asked: [undefined, 'en'], text: 'in en', spoken: 'en', isUncertain: true, codes: ['language_uncertain'],
    });
  });

  it('recognizes it in the first expected language where there is no fallback', async () => {
    expect(await recognize({ language: 'cy' }, { expected: ['de', 'en'] })).toMatchObject({ asked: [undefined, 'de'], spoken: 'de', isUncertain: true });
  });

  it('does not call again when the fallback is what was detected with too little confidence', async () => {
    expect(await recognize({ language: 'de', languageConfidence: 0.3 }, { expected: ['de', 'en'], minConfidence: 0.5, fallback: 'de' })).toEqual({
      asked: [undefined], text: 'hallo', spoken: 'de', isUncertain: true, codes: ['language_uncertain'],
    });
  });

  it('takes the most probable of the expected languages where the engine gives the probability of each', async () => {
    const detection = { language: 'nl', languageConfidence: 0.5, languageProbabilities: { nl: 0.5, de: 0.4, en: 0.1 } };
    expect(await recognize(detection, { expected: ['en', 'de'], minConfidence: 0.3 })).toEqual({
      asked: [undefined, 'de'], text: 'in de', language: 'de', languageConfidence: 0.4, spoken: 'de', isUncertain: false, codes: [],
    });
  });

  it('says that a minimum has no effect where the engine gives no confidence', async () => {
    expect(await recognize({ language: 'de' }, { expected: ['de'], minConfidence: 0.9 })).toMatchObject({ language: 'de', isUncertain: false, codes: ['language_confidence_unknown'] });
  });

  it('detects nothing where no word is spoken', async () => {
    expect(await recognize({ words: [], language: 'cy' }, { expected: ['de'] })).toEqual({ asked: [undefined], text: '', isUncertain: false, codes: [] });
  });
});
