import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { attachedMarks } from './attached-marks.js';
import { piecesAtPauses } from './pieces-at-pauses.js';

const textsOf = (words: string[], output: string) => attachedMarks(words, output)?.map(({ text, marks }) => text + marks);

describe('attachedMarks', () => {
  it('puts each mark to the word before it, with the case of the model', () => {
    expect(textsOf(['how', 'are', 'you', "i'm", 'fine'], "How are you? I'm fine.")).toEqual(['How', 'are', 'you?', "I'm", 'fine.']);
  });

  it('writes Chinese marks behind Chinese words alone', () => {
    expect(textsOf(['你好', 'how', 'are', 'you'], '你好，how are you？')).toEqual(['你好，', 'how', 'are', 'you?']);
  });

  it('takes words of several words, and marks that belong to words', () => {
    expect(textsOf(['New York', 'u.s.', '.net'], 'new york, u.s. .net.')).toEqual(['newyork,', 'u.s.', '.net.']);
  });

  it.each([['another word', 'see you late'], ['a word less', 'see you'], ['a word more', 'see you later then'], ['nothing', '']])('refuses %s', (_, output) => {
    expect(attachedMarks(['see', 'you', 'later'], output)).toBeUndefined();
  });

  it('finds every word again, whatever marks are written', () => {
    const word = fc.record({ text: fc.stringMatching(/^[a-z']{1,8}$/), mark: fc.constantFrom('', ',', '.', '?', '。') });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        const marked = attachedMarks(words.map(({ text }) => text), words.map(({ text, mark }) => text.toUpperCase() + mark).join(' '));
        expect(marked).toEqual(words.map(({ text, mark }) => ({ text: text.toUpperCase(), marks: mark === '。' ? '.' : mark })));
      }),
    );
  });
});

describe('piecesAtPauses', () => {
  it('cuts at the longest pause in the second half of a piece, and loses no word', () => {
    const words = [0, 1, 2, 3, 4, 5, 6].map((index) => ({ start: index + (index > 2 ? 1 : 0), end: index + 0.9 + (index > 2 ? 1 : 0) }));
    expect(piecesAtPauses(words, 4).map((piece) => piece.length)).toEqual([3, 4]);
    expect(piecesAtPauses(words, 4).flat()).toEqual(words);
    expect(piecesAtPauses([], 4)).toEqual([]);
  });
});
