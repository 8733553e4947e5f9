import { describe, expect, it } from '@jest/globals';
import { splitWords } from '@parlance/languages';
import * as fc from 'fast-check';
import { sherpaResult } from './sherpa-result.js';
import { wordsOfResult } from './words-of-result.js';

const heard = (result: object, seconds = 10, start = 0) => wordsOfResult(sherpaResult.parse(result), start, seconds);
const timed = (words: ReturnType<typeof heard>) => words.map(({ start, end, text }) => `${start}–${end} ${text}`);

describe('wordsOfResult', () => {
  it('puts tokens together to words, from the first one to the end of the last', () => {
    const result = { text: "It's well.", tokens: [' It', "'", 's', ' well', '.'], timestamps: [1, 1.2, 1.28, 2, 2.4], ys_log_probs: [0, 0, 0, Math.log(0.5), 0] };
    const words = heard(result, 10, 100);
    expect(timed(words)).toEqual(["101–101.68 It's", '102–102.8 well.']);
    expect(words.map(({ confidence }) => confidence)).toEqual([1, 0.6]);
  });

  it('gives no confidence where the model gives no probabilities', () => {
    const result = { text: 'oh no', tokens: [' oh', ' no'], timestamps: [0.5, 1] };
    for (const word of [...heard(result), ...heard({ text: ' all of it' })]) expect(Object.keys(word)).toEqual(['start', 'end', 'text']);
  });

  it('takes the durations that a model gives', () => {
    expect(timed(heard({ text: 'oh no', tokens: [' oh', ' no'], timestamps: [0.5, 1], durations: [0.16, 0.32] }))).toEqual(['0.5–0.66 oh', '1–1.32 no']);
  });

  it('keeps times where characters come as bytes, or otherwise than in the tokens', () => {
    const bytes = { text: '好的 ok', tokens: ['<0xE5>', '<0xA5>', '<0xBD>', '的', ' ok'], timestamps: [0, 0.1, 0.2, 0.4, 1] };
    expect(timed(heard(bytes)).map((word) => word.split(' ')[1])).toEqual(['好的', 'ok']);
    expect(heard(bytes)[1]?.start).toBeGreaterThan(0.3);
  });

  it('shares out segments, the last of which may lack its end', () => {
    const result = { text: ' one two three', segment_texts: [' one two', ' three'], segment_timestamps: [0, 4], segment_durations: [3, 0] };
    expect(timed(heard(result, 6))).toEqual(['0–1.5 one', '1.5–3 two', '4–6 three']);
    expect(timed(heard({ text: ' all of it' }, 7))).toEqual(['0–3 all', '3–5 of', '5–7 it']);
  });

  it('never leaves the piece, goes back in time, or loses a word', () => {
    const token = fc.record({ text: fc.constantFrom(' a', 'b', ' the', '今', '天', '。', '<0xE5>', ' '), time: fc.double({ min: 0, max: 12, noNaN: true }) });
    fc.assert(
      fc.property(fc.array(token, { maxLength: 30 }), (tokens) => {
        const text = tokens.map((one) => one.text).join('');
        const words = heard({ text, tokens: tokens.map((one) => one.text), timestamps: tokens.map(({ time }) => time).toSorted((a, b) => a - b) }, 10, 5);
        expect(words.map((word) => word.text)).toEqual(splitWords(text));
        for (const [index, { start, end }] of words.entries()) {
          expect(start).toBeGreaterThanOrEqual(words[index - 1]?.start ?? 5);
          expect(end).toBeGreaterThanOrEqual(start);
          expect(end).toBeLessThanOrEqual(15);
        }
      }),
    );
  });
});
