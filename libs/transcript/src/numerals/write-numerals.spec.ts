import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { joinedRaw } from '../formatting/raw-words.js';
import { collect, spoken } from '../testing/streams.js';
import { writeNumerals } from './write-numerals.js';

const written = (text: string) => collect(writeNumerals(spoken(text), () => true));
const textOf = async (text: string) => (await written(text)).map((word) => word.text).join(' ');

describe('writeNumerals', () => {
  it.each([
    ['twenty three', '23'],
    ['Twenty-three people', '23 people'],
    ['one hundred and five days', '105 days'],
    ['two thousand three hundred and forty six', '2346'],
    ['twelve thousand five hundred', '12,500'],
    ['three hundred thousand and six', '300,006'],
    ['two million three hundred thousand', '2.3 million'],
    ['nineteen hundred', '1900'],
    ['one point five', '1.5'],
    ['three point one four', '3.14'],
    ['ten men and ten women', '10 men and 10 women'],
  ])('writes whole numbers and those with a point: %s', async (text, expected) => expect(await textOf(text)).toBe(expected));

  it.each([
    ['in nineteen eighty four', 'in 1984'],
    ['since twenty twenty six', 'since 2026'],
    ['in two thousand and five', 'in 2005'],
    ['twenty oh five was', '2005 was'],
    ['the nineteen eighties', 'the 1980s'],
    ['march third nineteen eighty four', 'march 3rd 1984'],
    ['the twenty second of June', 'the 22nd of June'],
    ['the eleventh hour', 'the 11th hour'],
    ['the thirtieth', 'the 30th'],
  ])('writes years and ordinals: %s', async (text, expected) => expect(await textOf(text)).toBe(expected));

  it.each([
    ['five percent', '5%'],
    ['two point five per cent more.', '2.5% more.'],
    ['twenty dollars', '$20'],
    ['five dollars and fifty cents', '$5.50'],
    ['two million euros', '€2 million'],
    ['at three thirty', 'at 3:30'],
    ['at three thirty percent', 'at three 30%'],
    ['ten fifteen p m', '10:15 p.m.'],
    ['ten fifteen p. m.', '10:15 p.m.'],
    ['nine oh five am', '9:05 a.m.'],
    ["five o'clock", "5 o'clock"],
    ['call five five five oh one two', 'call 555012'],
  ])('writes shares, money, times and series: %s', async (text, expected) => expect(await textOf(text)).toBe(expected));

  it.each(['one of those', 'no one has five', 'a twenty second delay', 'twenty thirty forty', 'the first time', 'a hundred reasons', 'two or three', 'half past three', 'and then', 'give me a second', 'hundred'])(
    'leaves small numbers, and those that may be read in two ways: %s',
    async (text) => expect(await textOf(text)).toBe(text),
  );

  it('reads no number over a pause, the end of a clause or a change of speaker', async () => {
    expect(await textOf('twenty 2 three')).toBe('20 three');
    expect(await textOf('twenty, three')).toBe('20, three');
    const [twenty, three] = spoken('twenty three');
    const two = [twenty, { ...three, speakerId: 'S2' }] as ReturnType<typeof spoken>;
    expect((await collect(writeNumerals(two, () => true))).map(({ text }) => text)).toEqual(['20', 'three']);
  });

  it('gives figures the time of all their words, with the mean confidence, and keeps the words', async () => {
    const words = spoken('the (twenty three) men').map((word, index) => ({ ...word, confidence: index / 4 }));
    expect(await collect(writeNumerals(words, () => true))).toEqual([
      words[0],
      { start: 0.4, end: 1.1, text: '(23)', raw: '(twenty three)', confidence: 0.375 },
      words[3],
    ]);
  });

  it('leaves other languages', async () => {
    expect((await collect(writeNumerals(spoken('twenty three'), () => false))).map(({ text }) => text)).toEqual(['twenty', 'three']);
  });

  it('loses no word and no time, whatever is said', async () => {
    const word = fc.constantFrom(...'zero one two ten nineteen twenty thirty-one hundred thousand million and point oh percent per cent dollars cents a p m am first third march the at nineties second x.'.split(' '), '2');
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 40 }), async (texts) => {
        const words = spoken(texts.join(' '));
        const result = await collect(writeNumerals(words, () => true));
        expect(joinedRaw(result)).toBe(joinedRaw(words));
        expect([result[0]?.start, result.at(-1)?.end]).toEqual([words[0]?.start, words.at(-1)?.end]);
        result.forEach(({ start, end }, index) => expect(start <= end && start >= (result[index - 1]?.end ?? 0)).toBe(true));
      }),
    );
  });
});
