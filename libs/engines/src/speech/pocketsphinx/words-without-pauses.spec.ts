import { describe, expect, it } from '@jest/globals';
import { wordsWithoutPauses } from './words-without-pauses.js';

/** Seconds of silence and sound in turn, silence first. */
const signal = (...seconds: number[]): Int16Array =>
  Int16Array.from(seconds.flatMap((length, turn) => Array.from({ length: Math.round(length * 16_000) }, (_, index) => (turn % 2 === 1 ? Math.round(8000 * Math.sin(index / 7)) : 0))));

const timesOf = (samples: Int16Array, ...words: [start: number, end: number][]) =>
  wordsWithoutPauses(words.map(([start, end]) => ({ text: 'word', start, end, confidence: 1 })), samples).map(({ start, end }) => [start, end]);

describe('words without pauses', () => {
  it('begin and end with their sound', () => {
    expect(timesOf(signal(4, 1, 3), [0.02, 4.4], [4.41, 7.9])).toEqual([[4, 4.4], [4.41, 5]]);
  });

  it('keep a silence that is shorter than a pause', () => {
    expect(timesOf(signal(1, 1, 1), [0.8, 2.2])).toEqual([[0.8, 2.2]]);
  });

  it('keep their times where nothing is loud, and a pause within', () => {
    expect(timesOf(signal(3, 1, 3), [0.5, 2.5], [4.5, 6.9])).toEqual([[0.5, 2.5], [4.5, 6.9]]);
    expect(timesOf(signal(1, 0.5, 1, 0.5), [1, 3])).toEqual([[1, 3]]);
    expect(timesOf(new Int16Array(48_000), [0, 3])).toEqual([[0, 3]]);
  });

  it('may reach the end of the audio, and over it', () => {
    expect(timesOf(signal(1, 1.01), [0.2, 2.01])).toEqual([[1, 2.01]]);
    expect(timesOf(signal(1, 1), [1, 2.1])).toEqual([[1, 2.1]]);
  });
});
