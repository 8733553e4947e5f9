import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { PHRASE_REPEATS, removeRepetitions, WORD_REPEATS } from './repetition-detector.js';

const words = (text: string) => text.split(' ').map((one) => ({ text: one }));
const afterRemoval = (text: string) =>
  removeRepetitions(words(text))
    .words.map(({ text: one }) => one)
    .join(' ');

describe('removeRepetitions', () => {
  it.each(['no no no', 'no no no no no never', 'bye bye bye bye', 'I said yes I said yes I said yes and left', 'very very very very very good'])(
    'keeps what people say: %s',
    (text) => {
      expect(afterRemoval(text)).toBe(text);
    },
  );

  it.each([
    ['so thank you thank you thank you thank you thank you so', 'so thank you so'],
    ['Okay. okay okay, okay okay okay okay okay OK', 'Okay. OK'],
    [`${'see you in the next video '.repeat(6)}bye`, 'see you in the next video bye'],
    [`${'a b '.repeat(5)}a c`, 'a b a c'],
  ])('keeps the first round of a loop: %s', (text, rest) => {
    expect(afterRemoval(text)).toBe(rest);
  });

  it('counts what it took out', () => {
    expect(removeRepetitions(words('da '.repeat(10).trim())).removed).toBe(9);
  });

  const speech = fc.array(fc.constantFrom('a', 'b', 'c').map((text) => ({ text })), { maxLength: 60 });

  it('leaves words in order and finds nothing the second time', () => {
    fc.assert(
      fc.property(speech, (given) => {
        const once = removeRepetitions(given);
        let at = -1;
        for (const one of once.words) expect((at = given.indexOf(one, at + 1))).toBeGreaterThan(-1);
        expect(once.words.length + once.removed).toBe(given.length);
        expect(removeRepetitions(once.words)).toEqual({ words: once.words, removed: 0 });
      }),
    );
  });

  it('never touches a text in which nothing repeats often enough', () => {
    const distinct = fc.uniqueArray(fc.string({ minLength: 1 }).filter((text) => /^\w+$/.test(text)), { selector: (text) => text.toLowerCase() });
    fc.assert(
      fc.property(distinct, fc.integer({ min: 1, max: PHRASE_REPEATS - 1 }), (given, rounds) => {
        const text = Array.from({ length: rounds }, () => given.map((one) => ({ text: one }))).flat();
        if (given.length !== 1 || rounds < WORD_REPEATS) expect(removeRepetitions(text).removed).toBe(0);
      }),
    );
  });
});
