import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CitedText, NOTHING_SAID } from './cited-text.js';

function read(answer: string, count: number, size = answer.length): { shown: string[]; cited: number[]; isNothing: boolean } {
  const text = new CitedText(count);
  const pieces = answer.match(new RegExp(`[\\s\\S]{1,${Math.max(1, size)}}`, 'gu')) ?? [];
  const shown = [...pieces.map((piece) => text.push(piece)), text.end()].filter((one) => one !== '');
  return { shown, cited: [...text.cited], isNothing: text.isNothing };
}

describe('CitedText', () => {
  it('takes the numbers out of the text, in their order', () => {
    expect(read('The budget is small [3]. It was cut [1, 3; 2].', 5)).toEqual({ shown: ['The budget is small. It was cut', '.'], cited: [3, 1, 2], isNothing: false });
  });

  it('shows nothing before a line bears it out', () => {
    const text = new CitedText(2);
    expect(['The ', 'answer', ' is 42', ' [', '1', ']', ' and'].map((piece) => text.push(piece))).toEqual(['', '', '', '', '', 'The answer is 42', '']);
  });

  it('ends with the sentence that names a line: what comes after it names none', () => {
    const shown = (answer: string) => read(answer, 5).shown.join('');
    expect(shown('The house is enough [4]. It was sold to Bob.')).toBe('The house is enough.');
    expect(shown('The house is enough. [4] It was sold to Bob.')).toBe('The house is enough.');
    expect(shown('Ann [1] and Bob [2] were there at 3.5 degrees. Nobody else.')).toBe('Ann and Bob were there at 3.5 degrees.');
    expect(shown('- Ann [1]\n- and Bob, as I know')).toBe('- Ann');
    expect(shown('Ann said "no" [1]!')).toBe('Ann said "no"!');
    expect(shown('家は足りる[4]。ボブに売られた。')).toBe('家は足りる。');
  });

  it('leaves out the sentences before a mark that have none', () => {
    const shown = (answer: string) => read(answer, 5).shown.join('');
    expect(shown('Bob stole three million. The house is enough [4].')).toBe('The house is enough.');
    expect(shown('The house is enough. [4] Bob stole it. It was cut. [1]')).toBe('The house is enough. It was cut.');
    expect(shown('Ann [1] was there at 3.5 degrees. Bob stole it! So was Eve [2].')).toBe('Ann was there at 3.5 degrees. So was Eve.');
    expect(shown('Everybody is fired:\n\n1. Ann was there [1].\n2. Everybody knows.\n3. Bob was not [2]')).toBe('1. Ann was there.\n3. Bob was not');
    expect(shown('Mr. J. Smith came at 5 p.m. on Monday, as No. 3 [1].')).toBe('Mr. J. Smith came at 5 p.m. on Monday, as No. 3.');
    expect(shown('ボブが盗んだ。家は足りる[4]。')).toBe('家は足りる。');
    expect(shown('It is said twice [1] [2], [3]; as was known [9]. It is so [4].')).toBe('It is said twice,; as was known. It is so.');
  });

  it('gives nothing of an answer without a line that exists', () => {
    expect(read('Everybody knows that.', 5)).toEqual({ shown: [], cited: [], isNothing: false });
    expect(read('It says so [9] and [0].', 5)).toEqual({ shown: [], cited: [], isNothing: false });
  });

  it('knows when the model says that the lines do not tell', () => {
    for (const size of [1, 5, 99]) {
      const { shown, cited, isNothing } = read(` ${NOTHING_SAID}. The recording does not say.`, 3, size);
      expect([shown.join(''), cited, isNothing]).toEqual(['The recording does not say.', [], true]);
    }
  });

  it('gives the same however it comes', () => {
    const part = fc.constantFrom('It is so', ' [1]', ' [2,3]', '[7]', ' [', ']', ' and', '. ', '\n', NOTHING_SAID, '1');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.integer({ min: 1, max: 9 }), (parts, size) => {
        const [whole, pieces] = [read(parts.join(''), 3), read(parts.join(''), 3, size)];
        expect([pieces.shown.join(''), pieces.cited, pieces.isNothing]).toEqual([whole.shown.join(''), whole.cited, whole.isNothing]);
      }),
    );
  });
});
