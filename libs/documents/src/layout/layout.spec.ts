import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FontSet } from '../fonts/font-set.js';
import { paragraphDirection, visualOrder } from './bidi-text.js';
import { lineOpportunities } from './line-opportunities.js';
import { paragraphLines } from './paragraph-lines.js';
import type { TextStyle } from './text-style.js';

const STYLE: TextStyle = { size: 10, weight: 'regular', color: '#000000' };

const pieces = (text: string, language: string) => {
  const places = lineOpportunities(text, language);
  return places.map((to, index) => text.slice(places[index - 1] ?? 0, to));
};

describe('lines of a paragraph', () => {
  it('may end between words, in Thai by a dictionary, in Chinese not before a comma', () => {
    expect(pieces('one two-three', 'en')).toEqual(['one ', 'two-', 'three']);
    expect(pieces('วันนี้อากาศดีมาก', 'th')).toEqual(['วัน', 'นี้', 'อากาศ', 'ดี', 'มาก']);
    expect(pieces('大家好，欢迎。', 'zh')).toEqual(['大', '家', '好，', '欢', '迎。']);
  });

  it('begin at the right where the language does, also after a Latin name', () => {
    expect(['Parlance מדבר', '2026', 'Parlance'].map((text) => paragraphDirection(text, 'he'))).toEqual(['rtl', 'rtl', 'ltr']);
    expect(['שלום', 'hello שלום'].map((text) => paragraphDirection(text, 'en'))).toEqual(['rtl', 'ltr']);
  });

  it('are seen in the order of the bidirectional algorithm', () => {
    const items = [...'aBCd'].map((text) => ({ text, level: text === text.toUpperCase() ? 1 : 0 }));
    expect(visualOrder(items).map(({ text }) => text).join('')).toBe('aCBd');
    const nested = [{ text: 'C', level: 1 }, { text: '12', level: 2 }, { text: 'D', level: 1 }];
    expect(visualOrder(nested).map(({ text }) => text)).toEqual(['D', '12', 'C']);
  });

  it.each([
    ['ltr', 'Борис العربية\u200e   00:01:02', ['Борис ', 'العربية', '   00:01:02']],
    ['rtl', 'Борис\u200f   00:01:02', ['00:01:02', '   ', 'Борис']],
  ] as const)('keep what follows a closing mark out of the text before it, from %s, and do not draw the mark', async (direction, text, seen) => {
    const fonts = new FontSet('en');
    await fonts.load(text, 'regular');
    const [line] = paragraphLines([{ text, style: STYLE }], fonts, { width: 400, language: 'en', direction });
    const stretches = line?.pieces.reduce<{ text: string; level: number }[]>((joined, { text: piece, level }) => {
      const last = joined.at(-1);
      if (last?.level === level && level % 2 === 0) last.text += piece;
      else joined.push({ text: piece, level });
      return joined;
    }, []);
    expect(stretches?.map((stretch) => stretch.text)).toEqual(seen);
  });

  it('show every word once, within the width, a word wider than it cut', async () => {
    const fonts = new FontSet('he');
    const words = ['river', 'שלום', '(abc)', 'x'.repeat(90), '12,5', 'ab-cd', '!?', 'é'];
    for (const word of words) await fonts.load(`${word} `, 'regular');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 30 }), fc.constantFrom(60, 200, 450), async (drawn, width) => {
        const lines = paragraphLines([{ text: drawn.join(' '), style: STYLE }], fonts, { width, language: 'he' });
        const shown = lines.flatMap((line) => line.pieces.map(({ text }) => text)).join('').replaceAll(' ', '');
        expect([...shown].toSorted().join('')).toBe([...drawn.join('')].toSorted().join(''));
        for (const line of lines) expect(line.width).toBeLessThanOrEqual(width + 0.01);
      }),
      { numRuns: 40 },
    );
  });
});
