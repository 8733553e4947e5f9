import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Word } from '../transcript.js';
import { redactWords, type Redacted } from './redact-words.js';
import { RedactionLabels } from './redaction-labels.js';
import type { RedactionStyle } from './redaction-style.js';

const DIGITS = /\d(?:[\d ]*\d)?/gu;
const find = async (text: string): Promise<Redacted[]> =>
  [...text.matchAll(DIGITS)].map(({ 0: said, index }) => ({ policy: 'number', from: index, to: index + said.length, value: said.replaceAll(' ', '') }));

const wordsOf = (texts: readonly string[]): Word[] => texts.map((text, index) => ({ start: index, end: index + 0.5, text, confidence: 0.5 + (index % 5) / 10, raw: `raw ${text}` }));

async function redact(words: readonly Word[], style: RedactionStyle = 'label', hashKey?: string): Promise<Word[]> {
  const labels = new RedactionLabels({ style, hashKey });
  const all: Word[] = [];
  for await (const word of redactWords(each(words), { find, label: (place) => labels.of(place) })) all.push(word);
  return all;
}

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

it('what stands for removed or respelled words has no `raw`, which may be redacted', async () => {
  const [first, capital, respelled] = await redact([
    { start: 0, end: 1, text: 'call', raw: '41 call' },
    { start: 1, end: 2, text: 'Mum,', raw: 'mum' },
    { start: 2, end: 3, text: 'now', raw: '' },
  ]);
  expect([first?.raw, capital?.raw, respelled?.raw]).toEqual([undefined, 'mum', undefined]);
});

it('is found by the language of each word', async () => {
  const words = ['41', 'mal', '42', 'times'].map((text, index) => ({ start: index, end: index + 0.5, text, language: index < 2 ? 'de' : 'en' }));
  const label = ({ policy }: Redacted) => `[${policy}]`;
  const all: Word[] = [];
  const only = (language: string) => async (text: string, asked: string | undefined) => (asked === language ? find(text) : []);
  for await (const word of redactWords(each(words), { find: only('en'), label })) all.push(word);
  for await (const word of redactWords(each(words), { find: only('de'), label })) all.push(word);
  expect(textOf(all)).toBe('41 mal [number] times [number] mal 42 times');
});

const textOf = (words: readonly Word[]) => words.map(({ text }) => text).join(' ');

describe('redacted words', () => {
  it('are one label with the times of all and the lowest confidence, without what the engine wrote', async () => {
    const words = await redact(wordsOf(['is', '(41', '42', '43),', 'yes']));
    expect(textOf(words)).toBe('is ([NUMBER_1]), yes');
    expect(words[1]).toEqual({ start: 1, end: 3.5, text: '([NUMBER_1]),', confidence: 0.6, redacted: 'number', redactedBy: 'rules' });
  });

  it('have the same number where the same was said', async () => expect(textOf(await redact(wordsOf('a 1 b 2 c 1'.split(' '))))).toBe('a [NUMBER_1] b [NUMBER_2] c [NUMBER_1]'));

  it('are asterisks word by word', async () => expect(textOf(await redact(wordsOf(['is', '41', '42.']), 'mask'))).toBe('is ** **.'));

  it('are a keyed hash', async () => {
    const [one, other] = await Promise.all(['AAAA', 'BBBB'].map(async (key) => textOf(await redact(wordsOf(['7']), 'hash', key))));
    expect(one).toMatch(/^\[NUMBER_[0-9a-f]{12}\]$/u);
    expect(other).not.toBe(one);
    await expect(redact(wordsOf(['7']), 'hash')).rejects.toThrow('has no key');
  });

  it('of two places within one word are one', async () => expect(textOf(await redact(wordsOf(['1a2', 'b'])))).toBe('[NUMBER_1] b'));

  it('are the same whatever the place of the windows, and show no digit', async () => {
    const texts = fc.array(fc.constantFrom('a', 'b.', '1', '22', '(3)', 'word', 'x4y'), { minLength: 350, maxLength: 1_300 });
    await fc.assert(
      fc.asyncProperty(texts, async (all) => {
        const words = await redact(wordsOf(all), 'mask');
        expect(textOf(words)).toBe(textOf(wordsOf(all)).replaceAll(/\d/gu, '*'));
        expect(words.some(({ text, raw }) => /\*/u.test(text) && raw !== undefined)).toBe(false);
        const labelled = textOf(await redact(wordsOf(all)));
        expect(labelled.replaceAll(/\[NUMBER_\d+\]/gu, '')).not.toMatch(/\d/u);
      }),
      { numRuns: 30 },
    );
  });

  it('end where an endless number does', async () => expect((await redact(wordsOf(Array.from({ length: 2_000 }, () => '1')))).every(({ redacted }) => redacted === 'number')).toBe(true));
});
