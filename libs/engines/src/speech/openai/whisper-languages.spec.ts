import { describe, expect, it } from '@jest/globals';
import { languageTag, WHISPER_LANGUAGES, whisperCode } from './whisper-languages.js';

describe('the languages of Whisper', () => {
  it.each([
    ['en', 'en'],
    ['pt-BR', 'pt'],
    ['zh-Hans-CN', 'zh'],
    ['nb-NO', 'no'],
    ['fil', 'tl'],
  ])('%s is asked for as %s', (tag, code) => {
    expect(whisperCode(tag)).toBe(code);
  });

  it.each([
    ['english', 'en'],
    ['Portuguese', 'pt'],
    ['de', 'de'],
    ['zh-TW', 'zh-tw'],
    ['klingon language', undefined],
    [undefined, undefined],
  ])('an answer in %s is in %s', (name, tag) => {
    expect(languageTag(name)).toBe(tag);
  });

  it('are the 57 of the documentation and other names for some of them', () => {
    expect(WHISPER_LANGUAGES.filter((code) => whisperCode(code) === code)).toHaveLength(57);
  });
});
