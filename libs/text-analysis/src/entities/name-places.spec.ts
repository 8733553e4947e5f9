import { expect, it } from '@jest/globals';
import { namePlaces } from './name-places.js';

it.each([
  ['Ann', 'Ann met Anna, and Ann left', [0, 18]],
  ['ann', 'Ann left', []],
  ['O’Neil', 'mr O’Neil', [3]],
  ['東京', '東京都と東京', [0, 4]],
  ['...', 'and so on ...', []],
  ['', 'nothing', []],
])('a name is where it stands letter by letter as a whole: %s in %s', (name, text, starts) => {
  expect(namePlaces(name, text).map(({ from, to }) => [from, text.slice(from, to)])).toEqual(starts.map((start) => [start, name]));
});
