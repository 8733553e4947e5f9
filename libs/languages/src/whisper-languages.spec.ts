import { describe, expect, it } from '@jest/globals';
import { WHISPER_LANGUAGES, whisperCode, whisperLanguageTag } from './whisper-languages.js';

describe('the languages of Whisper', () => {
  it.each([
    ['en', 'en'],
    ['pt-BR', 'pt'],
    ['zh-Hans-CN', 'zh'],
    ['nb-NO', 'no'],
    ['fil', 'tl'],
    ['iw', 'he'],
    ['zh-cmn-Hant-TW', 'zh'],
    ['jv', 'jw'],
    ['nn', 'nn'],
    ['yue-HK', 'yue'],
  ])('%s is asked for as %s', (tag, code) => {
    expect(whisperCode(tag)).toBe(code);
  });

  it.each([
    ['english', 'en'],
    ['Portuguese', 'pt'],
    ['de', 'de'],
    ['<|zh|>', 'zh'],
    ['zh-TW', 'zh-TW'],
    ['Haitian Creole', 'ht'],
    ['javanese', 'jv'],
    ['cantonese', 'yue'],
    ['iw', 'he'],
    ['klingon language', undefined],
    [undefined, undefined],
  ])('an answer in %s is in %s', (name, tag) => {
    expect(whisperLanguageTag(name)).toBe(tag);
  });

  it('are the hundred of its tokenizer, each under a tag that is one and has a name', () => {
    expect(new Set(WHISPER_LANGUAGES.map(whisperCode)).size).toBe(100);
    const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
    expect(WHISPER_LANGUAGES.filter((tag) => names.of(tag) === undefined)).toEqual([]);
  });
});
