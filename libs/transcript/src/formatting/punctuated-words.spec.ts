import { describe, expect, it } from '@jest/globals';
import type { MergedWord } from '../merge/merge-chunks.js';
import { bareTexts, punctuatedWords } from './punctuated-words.js';
import { joinedRaw } from './raw-words.js';
import { formattingOf, writeWords } from './write-words.js';

const wordsOf = (text: string): MergedWord[] => text.split(' ').map((word, index) => ({ start: index, end: index + 0.9, text: word, confidence: 0.5 }));
const textOf = (words: readonly MergedWord[]) => words.map(({ text }) => text).join(' ');

describe('punctuatedWords', () => {
  it('keeps the words, their times and what the engine wrote', () => {
    const words = wordsOf('how are you');
    const written = punctuatedWords(words, { texts: ['How', 'are', 'you?'], hasCapitals: true, language: 'en' });
    expect(written).toEqual([{ ...words[0], text: 'How', raw: 'how' }, words[1], { ...words[2], text: 'you?', raw: 'you' }]);
    expect(joinedRaw(written)).toBe('how are you');
  });

  it('writes the capitals of English by rules where the model has none', () => {
    const texts = 'i met mary. she, too, was there? yes.'.split(' ');
    expect(textOf(punctuatedWords(wordsOf('i met mary she too was there yes'), { texts, hasCapitals: false, language: 'en-GB' }))).toBe('I met Mary. She, too, was there? Yes.');
    expect(textOf(punctuatedWords(wordsOf('hallo'), { texts: ['hallo.'], hasCapitals: false, language: 'de' }))).toBe('hallo.');
  });

  it('gets small letters of an engine that writes all in capitals', () => {
    expect(bareTexts(wordsOf('I MET MARY'))).toEqual(['i', 'met', 'mary']);
    expect(bareTexts(wordsOf('I met NATO'))).toEqual(['I', 'met', 'NATO']);
  });
});

describe('words that a model punctuated', () => {
  const writer = { formatsText: false, language: 'en' };

  it('are left alone by the rules, which write the others', async () => {
    const punctuated = wordsOf('Hello, there').map((word): MergedWord => ({ ...word, isPunctuated: true }));
    const bare = wordsOf('how are you').map((word) => ({ ...word, start: word.start + 10, end: word.end + 10 }));
    async function* all() {
      yield* [...punctuated, ...bare];
    }
    const written: MergedWord[] = [];
    for await (const word of writeWords(all(), { format: true }, writer)) written.push(word);
    expect(textOf(written)).toBe('Hello, there How are you?');
  });

  it('make the formatting that of a model', () => {
    expect(formattingOf({ format: true }, { ...writer, isPunctuated: true })).toBe('model');
    expect(formattingOf({ format: true }, { ...writer, isPunctuated: false })).toBe('rules');
    expect(formattingOf({ format: true }, { ...writer, formatsText: true })).toBe('engine');
  });
});
