import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { collect, spoken } from '../testing/streams.js';
import { formatEnglish } from './format-english.js';
import { joinedRaw } from './raw-words.js';

const formatted = (text: string) => collect(formatEnglish(spoken(text), () => true));
const textOf = async (text: string) => (await formatted(text)).map((word) => word.text).join(' ');

describe('formatEnglish', () => {
  it.each([
    ['good morning and thank you 0.9 yes of course 0.8 how much do we have', 'Good morning and thank you. Yes of course. How much do we have?'],
    ['that is good news when do you think that we can open the doors', 'That is good news. When do you think that we can open the doors?'],
    ['the city has asked us for a report can you write it before friday', 'The city has asked us for a report. Can you write it before Friday?'],
    ['when i came home he was there', 'When I came home he was there.'],
    ['had he married a more amiable woman he might have been respectable', 'Had he married a more amiable woman he might have been respectable.'],
    ["what's the plan 1 is this it 1 you know what i mean", "What's the plan? Is this it? You know what I mean."],
  ])('ends sentences at pauses and before questions: %s', async (text, expected) => {
    expect(await textOf(text)).toBe(expected);
  });

  it('ends no sentence with a word that leads on, unless the pause is long', async () => {
    expect(await textOf('he went to the 0.9 house')).toBe('He went to the house.');
    expect(await textOf('he went to the 2 no')).toBe('He went to the. No.');
  });

  it.each([
    ["i met mary smith in new york and i'm sure she likes london", "I met Mary Smith in New York and I'm sure she likes London."],
    ["the smith saw john's german friend on the isle of man", "The smith saw John's German friend on the Isle of Man."],
    ['we may march on monday the first march or in may', 'We may march on Monday the first March or in May.'],
    ['ask mr brown about the uk', 'Ask Mr Brown about the UK.'],
    ['mark my words and bill him for the turkey', 'Mark my words and bill him for the turkey.'],
  ])('gives capitals to I and names, not to common words: %s', async (text, expected) => {
    expect(await textOf(text)).toBe(expected);
  });

  it('writes the words of an engine without small letters in small letters', async () => {
    expect(await textOf('HE SAW IT 1 I DID NOT')).toBe('He saw it. I did not.');
  });

  it('leaves punctuation and capitals that are there', async () => {
    expect(await textOf('Well, he has an iPhone! 1 iPhone? 1 npm too…')).toBe('Well, he has an iPhone! iPhone? Npm too…');
  });

  it('leaves words of other languages as they are', async () => {
    const words = [...spoken('good day 1').map((word) => ({ ...word, language: 'en' })), ...spoken('guten tag', { start: 3 }).map((word) => ({ ...word, language: 'de' }))];
    const result = await collect(formatEnglish(words, ({ language }) => language === 'en'));
    expect(result.map(({ text }) => text)).toEqual(['Good', 'day.', 'guten', 'tag']);
  });

  it("keeps the engine's words where it changes them, and everything else of each word", async () => {
    const words = spoken('thank you 1 mary', { speakerId: 'S1' });
    const [thank, you, mary] = words;
    expect(await collect(formatEnglish(words, () => true))).toEqual([
      { ...thank, text: 'Thank', raw: 'thank' },
      { ...you, text: 'you.', raw: 'you' },
      { ...mary, text: 'Mary.', raw: 'mary' },
    ]);
  });

  it('changes nothing but case and punctuation, whatever is said', async () => {
    const word = fc.constantFrom('i', 'the', 'what', 'do', 'you', 'new', 'york', 'march', 'first', 'mr', "john's", 'u.', 'A,', '—', '0.5', '2');
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 40 }), async (texts) => {
        const words = spoken(texts.join(' ')).filter(({ text }) => text !== '');
        const result = await collect(formatEnglish(words, () => true));
        expect(result.map(({ start, end }) => [start, end])).toEqual(words.map(({ start, end }) => [start, end]));
        expect(joinedRaw(result)).toBe(joinedRaw(words));
        expect(result.map(({ text }) => bare(text))).toEqual(words.map(({ text }) => bare(text)));
      }),
    );
  });

  it('holds no run without a pause longer than 200 words', async () => {
    const result = await formatted('word '.repeat(450).trim());
    expect(result.filter(({ text }) => text.endsWith('.'))).toHaveLength(1);
    expect(result.filter(({ text }) => text.startsWith('W'))).toHaveLength(1);
  });
});

const bare = (text: string): string => text.toLowerCase().replace(/[.?]$/, '');
