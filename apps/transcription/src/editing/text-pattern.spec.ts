import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { textPattern } from './text-pattern.js';

const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }).filter((text) => text.trim() !== '');

it.each(['well-known', '-', 'a/b', '[x-y]', String.raw`\d`, '(?<n>', 'C++', '^$.|'])('finds %s as it is written', (find) => {
  expect(`so ${find} so`.match(textPattern({ find, matchCase: true, wholeWords: true }))).toEqual([find]);
});

it('finds every text in itself', () => {
  fc.assert(fc.property(texts, fc.boolean(), fc.boolean(), (find, matchCase, wholeWords) => expect(textPattern({ find, matchCase, wholeWords }).test(find)).toBe(true)));
});
