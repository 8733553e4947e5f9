import { expect, it } from '@jest/globals';
import { displayNames } from './display-names.js';

it('recordings are called by their file, or as given where that is not one alone', () => {
  expect(displayNames(['day1/talk.mp3', 'day2/talk.mp3', 'x/other.wav', 'https://me:secret@host/a.mp3?token=t'])).toEqual([
    'day1/talk.mp3',
    'day2/talk.mp3',
    'other.wav',
    'https://host/a.mp3',
  ]);
  expect(displayNames(['http://host/t?day=1', 'http://host/t?day=2'])).toEqual(['http://host/t (1)', 'http://host/t (2)']);
  expect(displayNames(['talk.mp3', 'talk.mp3'])).toEqual(['talk.mp3 (1)', 'talk.mp3 (2)']);
});
