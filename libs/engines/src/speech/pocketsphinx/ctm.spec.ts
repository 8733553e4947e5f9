import { describe, expect, it } from '@jest/globals';
import { parseCtm } from './ctm.js';

const utterances = [
  { id: 'u0', start: 0, end: 5 },
  { id: 'u1', start: 5, end: 9 },
];

describe('parseCtm', () => {
  it('adds the start of the utterance to its times', () => {
    const words = parseCtm('u0 1 0.20 0.16 and 0.272\nu1 1 0.37 0.25 mister 0.857\n', utterances);
    expect(words).toEqual([
      { start: 0.2, end: 0.36, text: 'and', confidence: 0.272 },
      { start: 5.37, end: 5.62, text: 'mister', confidence: 0.857 },
    ]);
  });

  it('leaves out fillers and the number of a pronunciation', () => {
    const ctm = '<s> <sil> [SPEECH] ++breath++ the(2) o\'clock'
      .split(' ')
      .map((token, index) => `u0 1 ${index}.00 0.10 ${token} 1.000`)
      .join('\n');
    expect(parseCtm(ctm, [{ id: 'u0', start: 0, end: 9 }]).map(({ text }) => text)).toEqual(['the', "o'clock"]);
  });

  it('writes the first person as English does', () => {
    const ctm = ['i', "i'm", 'in'].map((token) => `u0 1 0.00 0.10 ${token} 1.000`).join('\n');
    expect(parseCtm(ctm, utterances).map(({ text }) => text)).toEqual(['I', "I'm", 'in']);
  });

  it('ends a word that runs over by a frame at the end of its utterance', () => {
    expect(parseCtm('u0 1 4.90 0.15 so 1.000', utterances)[0]?.end).toBe(5);
  });

  it.each(['u0 1 x 0.16 and 0.2', 'u0 1 0.20 0.16 and', 'u9 1 0.20 0.16 and 0.2', 'u0 1 -1.00 0.16 and 0.2', 'u0 1 0.00 nan and 0.2'])(
    'takes %j for garbage',
    (line) => {
      expect(() => parseCtm(line, utterances)).toThrow(expect.objectContaining({ code: 'engine_failed' }));
    },
  );
});
