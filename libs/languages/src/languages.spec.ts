import { describe, expect, it } from '@jest/globals';
import { canonicalLanguage, closingMark, inParagraph, isCjk, isRightToLeft, isSameLanguage, isSpaceless, languageName, scriptOf, splitSpaceless, splitWords, textDirection } from './index.js';

describe('language tags', () => {
  it.each([
    ['iw', 'he'],
    ['PT-br', 'pt-BR'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['zh-cmn-Hant', 'zh-Hant'],
    ['zh-yue', 'yue'],
    ['no', 'no'],
    ['not a tag', undefined],
    ['', undefined],
  ])('%s is canonically %s', (tag, canonical) => {
    expect(canonicalLanguage(tag)).toBe(canonical);
  });

  it('name one language though they differ in script, region or fashion', () => {
    for (const [one, other] of [['zh-Hant', 'zh'], ['iw-IL', 'he'], ['nb', 'no'], ['tl', 'fil'], ['in', 'id']] as const) {
      expect(isSameLanguage(one, other)).toBe(true);
    }
    expect(isSameLanguage('yue', 'zh')).toBe(false);
    expect(isSameLanguage('nn', 'no')).toBe(false);
  });

  it('tell script and direction, said or likely', () => {
    expect(['zh', 'zh-TW', 'sr', 'sr-Latn', 'ur', 'ja', 'x y'].map(scriptOf)).toEqual(['Hans', 'Hant', 'Cyrl', 'Latn', 'Arab', 'Jpan', 'Zyyy']);
    expect(['ar', 'he', 'fa', 'ur', 'yi', 'az', 'en'].map(isRightToLeft)).toEqual([true, true, true, true, true, false, false]);
    expect(['zh', 'ja', 'th', 'lo', 'km', 'my', 'ko', 'hi'].map(isSpaceless)).toEqual([true, true, true, true, true, true, false, false]);
    expect(['zh', 'yue', 'ja', 'ko', 'th'].map(isCjk)).toEqual([true, true, true, true, false]);
    expect([languageName('zh-Hant'), languageName('tlh x')]).toEqual(['Traditional Chinese', 'tlh x']);
  });
});

describe('words of a text without spaces', () => {
  it('are those of a dictionary, with punctuation at the word it belongs to', () => {
    expect(splitSpaceless('สวัสดีครับวันนี้อากาศดีมาก', 'th')).toEqual(['สวัสดี', 'ครับ', 'วัน', 'นี้', 'อากาศ', 'ดี', 'มาก']);
    expect(splitSpaceless('今日は、「良い」天気。', 'ja')).toEqual(['今日', 'は、', '「良い」', '天気。']);
  });

  it('are found beside words with spaces', () => {
    expect(splitWords('We met 老师 in 北京。', 'zh')).toEqual(['We', 'met', '老师', 'in', '北京。']);
  });
});

it('a text is read as its first letter is', () => {
  expect(['12 שלום', 'Anna: مرحبا', '...', 'ſ'].map(textDirection)).toEqual(['rtl', 'ltr', undefined, 'ltr']);
});

it('a text that runs against its paragraph is closed by a mark', () => {
  expect(['Anna', 'Борис العربية', 'ליאת', '12'].map((name) => closingMark(name, 'ltr'))).toEqual(['', '\u200e', '\u200e', '']);
  expect(['Anna', 'ליאת', '12'].map((name) => closingMark(name, 'rtl'))).toEqual(['\u200f', '', '']);
});

it('what begins with figures keeps them in a paragraph that runs the other way', () => {
  const texts = ['21 November', 'Anna', '3 אחים', '01:02:03'];
  expect(texts.map((text) => inParagraph(text, 'rtl'))).toEqual(['\u200e21 November\u200f', 'Anna\u200f', '3 אחים', '01:02:03']);
  expect(texts.map((text) => inParagraph(text, 'ltr'))).toEqual(['21 November', 'Anna', '\u200f3 אחים\u200e', '01:02:03']);
});
