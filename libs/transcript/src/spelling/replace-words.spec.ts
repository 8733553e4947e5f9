import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { collect, spoken } from '../testing/streams.js';
import { replaceWords, type Replacement } from './replace-words.js';

const replaced = (text: string, rules: Record<string, string>) => collect(replaceWords(spoken(text), Object.entries(rules).map(([from, to]) => ({ from, to }))));
const textOf = async (text: string, rules: Record<string, string>) => (await replaced(text, rules)).map((word) => word.text).join(' ');

describe('replaceWords', () => {
  it('replaces whole words, whatever their case, and keeps the punctuation around them', async () => {
    expect(await textOf('Ask Parlors, "parlors" or parlorsmith.', { parlors: 'Parlance' })).toBe('Ask Parlance, "Parlance" or parlorsmith.');
  });

  it('keeps the time, speaker and confidence of a word for which one word stands', async () => {
    const words = spoken('ask parlors now', { speakerId: 'S1' });
    expect(await collect(replaceWords(words, [{ from: 'parlors', to: 'Parlance' }]))).toEqual(words.map((word) => (word.text === 'parlors' ? { ...word, text: 'Parlance', raw: 'parlors' } : word)));
  });

  it('gives one word the time of all those for which it stands', async () => {
    expect(await replaced('the par lance team', { 'par lance': 'Parlance' })).toMatchObject([{ text: 'the' }, { text: 'Parlance', start: 0.4, end: 1.1, raw: 'par lance' }, { text: 'team' }]);
  });

  it('distributes the time of a word among those that stand for it', async () => {
    expect(await replaced('cubernetes', { cubernetes: 'ku bernetes' })).toMatchObject([{ text: 'ku', start: 0, end: 0.06, raw: 'cubernetes' }, { text: 'bernetes', start: 0.06, end: 0.3, raw: '' }]);
  });

  it('takes the rule with the most words, then the first, and never its own result', async () => {
    expect(await textOf('new york new york city', { 'new york': 'NY', 'new york city': 'NYC', ny: 'wrong' })).toBe('NY NYC');
  });

  it('finds no phrase over a pause or the end of a sentence', async () => {
    expect(await textOf('thank you. Tube stations', { 'you tube': 'YouTube' })).toBe('thank you. Tube stations');
    const [you, tube] = spoken('you tube');
    const later = { text: 'tube', start: 6, end: 6.3 };
    expect(you && tube && (await collect(replaceWords([you, { ...tube, ...later }], [{ from: 'you tube', to: 'YouTube' }]))).map(({ text }) => text)).toEqual(['you', 'tube']);
  });

  it('leaves out rules without a word', async () => {
    expect(await textOf('one — two', { '—': 'dash', '': 'nothing', two: ' ' })).toBe('one — two');
  });

  it('never leaves the time of the words, nor puts them out of order', async () => {
    const word = fc.constantFrom('a', 'b', 'c', 'A,', '(b)');
    const rules: fc.Arbitrary<Replacement[]> = fc.array(fc.record({ from: fc.array(word, { maxLength: 3 }).map((texts) => texts.join(' ')), to: fc.array(word, { maxLength: 3 }).map((texts) => texts.join(' ')) }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 20 }), rules, async (texts, replacements) => {
        const words = spoken(texts.join(' '));
        const result = await collect(replaceWords(words, replacements));
        expect([result[0]?.start, result.at(-1)?.end]).toEqual([words[0]?.start, words.at(-1)?.end]);
        result.forEach(({ start, end }, index) => expect(start <= end && start >= (result[index - 1]?.end ?? 0)).toBe(true));
      }),
    );
  });
});
