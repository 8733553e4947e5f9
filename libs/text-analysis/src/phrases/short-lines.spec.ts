import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { shortLines } from './short-lines.js';

const lineOf = (text: string) => ({ segmentId: 'seg_000001', start: 10, end: 30, speakerId: 'S1', text });
const phrases = (text: string) => shortLines([lineOf(text)]).map((line) => line.text);

describe('lines that have no full stop', () => {
  it('are broken where a clause begins', () => {
    expect(
      phrases('so we talked about the roof for a while and i will send the plan to the city by next friday and then carol will order the books before december because the children asked for them'),
    ).toEqual([
      'so we talked about the roof for a while',
      'and i will send the plan to the city by next friday',
      'and then carol will order the books before december',
      'because the children asked for them',
    ]);
  });

  it('are left alone where they are short, end as a sentence, or have no spaces', () => {
    for (const text of ['i will send the plan', `${'A sentence may be long where its writer ended it, '.repeat(4)}as here.`, '東京'.repeat(100)]) expect(phrases(text)).toEqual([text]);
  });

  it('keep every word, within their segment and its time, and none is long', () => {
    const words = fc.array(fc.constantFrom('i', 'will', 'and', 'the', 'committee,', 'Straße', 'и', 'x'.repeat(40)), { maxLength: 80 });
    fc.assert(
      fc.property(words, (drawn) => {
        const text = drawn.join(' ');
        const made = shortLines([lineOf(text)]);
        expect(made.map((line) => line.text).join(' ')).toBe(text);
        expect([made[0]?.start, made.at(-1)?.end]).toEqual([10, 30]);
        made.forEach((line, at) => {
          expect(line.text.length).toBeLessThanOrEqual(120);
          expect(line.start).toBe(made[at - 1]?.end ?? 10);
        });
      }),
      { numRuns: 100 },
    );
  });
});
