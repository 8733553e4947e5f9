import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { WordFilters } from '../chunk-plan.js';
import { joinedRaw } from '../formatting/raw-words.js';
import { collect, spoken, streamOf } from '../testing/streams.js';
import { withoutFillers, withoutProfanity } from './filter-words.js';

const OFF: WordFilters = { maskProfanity: false, removeProfanity: false, profanityWords: [], removeFillers: false, fillerWords: [] };
const fillers = (text: string, filters: Partial<WordFilters> = {}, isEnglish = true) => collect(withoutFillers(streamOf(spoken(text)), { ...OFF, removeFillers: true, ...filters }, () => isEnglish));
const profanity = (text: string, filters: Partial<WordFilters>, isEnglish = true) => collect(withoutProfanity(streamOf(spoken(text)), { ...OFF, ...filters }, () => isEnglish));
const textOf = (words: { text: string }[]) => words.map(({ text }) => text).join(' ');

describe('filters of words', () => {
  it.each([
    ['Um, we er went', 'We went'],
    ['I think um. We go', 'I think. We go'],
    ['Yes, uh? Well', 'Yes? Well'],
    ['Yes. Um. No.', 'Yes. No.'],
    ['the err of er-doctors', 'the of er-doctors'],
  ])('remove fillers, and keep capitals and ends of sentences: %s', async (text, expected) => {
    expect(textOf(await fillers(text))).toBe(expected);
  });

  it("keep the engine's words in the raw text of a neighbour", async () => {
    expect(await fillers('um so we uh')).toMatchObject([{ text: 'so', start: 0.4, raw: 'um so' }, { text: 'we', raw: 'we uh' }]);
  });

  it('mask or remove profanity, and keep the punctuation around it', async () => {
    expect(await profanity('that "damn" plan', { maskProfanity: true })).toMatchObject([{ text: 'that' }, { text: '"d***"', raw: '"damn"', start: 0.4 }, { text: 'plan' }]);
    expect(textOf(await profanity('Damn that shit. Go', { removeProfanity: true }))).toBe('That. Go');
    expect(textOf(await profanity('damn it', {}))).toBe('damn it');
  });

  it("take the caller's own words in every language, the English list in English alone", async () => {
    expect(textOf(await fillers('ähm er Um kam', { fillerWords: ['Ähm'] }, false))).toBe('er Um kam');
    expect(textOf(await profanity('der damn Mist!', { maskProfanity: true, profanityWords: ['mist'] }, false))).toBe('der damn M***!');
  });

  it('lose no word of the engine while one is left', async () => {
    const word = fc.constantFrom('um', 'Um,', 'uh.', 'damn!', 'we', 'go.', 'A');
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 20 }), async (texts) => {
        const words = spoken(texts.join(' ')).filter(({ text }) => text !== '');
        const once = await collect(withoutFillers(streamOf(words), { ...OFF, removeFillers: true }, () => true));
        const result = await collect(withoutProfanity(streamOf(once), { ...OFF, removeProfanity: true }, () => true));
        if (result.length > 0) expect(joinedRaw(result)).toBe(joinedRaw(words));
      }),
    );
  });
});
