import { describe, expect, it } from '@jest/globals';
import { wordsOfText } from './words-of-text.js';

describe('the words of a text whose segment alone has times', () => {
  it('share out its time by their letters, within it and one after the other', () => {
    expect(wordsOfText({ segmentId: 'seg_000001', start: 10, end: 12, text: ' Das  Dachdeck. ', speakerId: 'S1' })).toEqual([
      { text: 'Das', start: 10, end: 10.5, speakerId: 'S1' },
      { text: 'Dachdeck.', start: 10.5, end: 12, speakerId: 'S1' },
    ]);
    expect(wordsOfText({ segmentId: 'seg_000001', start: 0, end: 1, text: '' })).toEqual([]);
  });
});
