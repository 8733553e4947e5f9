import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type ConfigError, integer, integers, list, readConfig } from './config-slice.js';

const shape = {
  PORT: integer(0, 65_535).default(3000),
  SECRET: z.string().optional(),
  EGRESS_ALLOW: list().default([]),
  LEVEL: z.enum(['low', 'high']).default('low'),
};

const noFiles = (): string => {
  throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
};

const problemsOf = (read: () => unknown): string[] => {
  try {
    read();
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
};

describe('readConfig', () => {
  it('gives defaults where nothing is set, and takes an empty variable for unset', () => {
    expect(readConfig(shape, { env: { PORT: '' }, readFile: noFiles })).toEqual({ PORT: 3000, SECRET: undefined, EGRESS_ALLOW: [], LEVEL: 'low' });
  });

  it('reads numbers, words and lists', () => {
    const env = { PORT: '8080', EGRESS_ALLOW: '10.0.0.0/8, 192.168.0.0/16', LEVEL: 'high' };
    expect(readConfig(shape, { env, readFile: noFiles })).toMatchObject({ PORT: 8080, EGRESS_ALLOW: ['10.0.0.0/8', '192.168.0.0/16'], LEVEL: 'high' });
  });

  it('reads a secret from the file that NAME_FILE points at, without its last newline', () => {
    expect(readConfig(shape, { env: { SECRET_FILE: '/run/secret' }, readFile: () => 'hush\n' }).SECRET).toBe('hush');
  });

  it('names every wrong value at once', () => {
    const env = { PORT: 'eighty', LEVEL: 'maybe', SECRET: 'a', SECRET_FILE: '/run/secret' };
    const problems = problemsOf(() => readConfig(shape, { env, readFile: () => 'b' }));
    expect(problems).toHaveLength(3);
    expect(problems.join('\n')).toMatch(/PORT: must be a whole number[^]*SECRET: set SECRET or SECRET_FILE, not both[^]*LEVEL:/);
  });

  it('tells once what is wrong with a list of numbers', () => {
    const read = (TIMES: string) => readConfig({ TIMES: integers(0, 9) }, { env: { TIMES }, readFile: noFiles });
    expect(read('5, 0,9').TIMES).toEqual([5, 0, 9]);
    for (const wrong of ['[5,3,8]', '5,x,10', '5 3']) expect(problemsOf(() => read(wrong))).toEqual(['TIMES: must be whole numbers, comma-separated, each from 0 to 9']);
  });

  it('says which file it cannot read', () => {
    expect(problemsOf(() => readConfig(shape, { env: { SECRET_FILE: '/gone' }, readFile: noFiles }))).toEqual([
      'SECRET_FILE: cannot read /gone (ENOENT)',
    ]);
  });
});
