import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { chanceFor, fixedSeed, randomFrom, seedOf } from './chance.js';

const NAMES = ['CHANCE_SEED', 'KILL_SEED'] as const;
const draw = (random: () => number) => Array.from({ length: 20 }, random);

describe('chance in tests', () => {
  const before = NAMES.map((name) => [name, process.env[name]] as const);
  const clear = () => NAMES.forEach((name) => delete process.env[name]);
  beforeEach(clear);
  afterEach(() => {
    clear();
    for (const [name, value] of before) if (value !== undefined) process.env[name] = value;
  });

  it('is the same for the same seed, another for each spec and each seed, and from 0 up to 1', () => {
    process.env['CHANCE_SEED'] = '7';
    const one = draw(chanceFor('one').random);
    expect(draw(chanceFor('one').random)).toEqual(one);
    expect(draw(chanceFor('another').random)).not.toEqual(one);
    process.env['CHANCE_SEED'] = '8';
    expect(draw(chanceFor('one').random)).not.toEqual(one);
    expect(one.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(draw(randomFrom(7))).toEqual(draw(randomFrom(7)));
  });

  it('takes the seed of its kind before that for all, and none where none is set', () => {
    expect(fixedSeed('KILL_SEED')).toBeUndefined();
    process.env['CHANCE_SEED'] = '7';
    expect([fixedSeed(), fixedSeed('KILL_SEED'), seedOf('KILL_SEED')]).toEqual([7, 7, 7]);
    process.env['KILL_SEED'] = '-9';
    expect([fixedSeed(), fixedSeed('KILL_SEED'), seedOf('KILL_SEED')]).toEqual([7, -9, -9]);
  });

  it('has one fresh seed when none is set, and prints it', () => {
    const print = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const { seed } = chanceFor('one');
    const printed = print.mock.calls;
    print.mockRestore();
    expect(printed).toEqual([[`one: CHANCE_SEED=${seed}\n`]]);
    expect([seedOf(), seedOf('KILL_SEED')]).toEqual([seed, seed]);
  });

  it('refuses a seed that is no whole number', () => {
    process.env['CHANCE_SEED'] = 'lucky';
    expect(() => seedOf()).toThrow('CHANCE_SEED is a whole number');
  });
});
