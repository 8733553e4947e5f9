import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { shellWord } from './command-line.js';

it('a shell takes the word as the text it stands for', () => {
  for (const text of ['data/api-key', 'my data/api-key', "it's", '$HOME`id`"', '-x', '日本', '']) {
    expect(execFileSync('sh', ['-c', `printf '%s' "$(printf '%s' ${shellWord(text)})"`], { encoding: 'utf8' })).toBe(text);
  }
  expect(shellWord('data/api-key')).toBe('data/api-key');
});
