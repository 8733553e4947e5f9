import { describe, expect, it } from '@jest/globals';
import { exitCode } from './report.mjs';

const held = { broken: [] };
const broken = { broken: ['job_1 is lost'] };
const codeOf = (rounds: Record<string, { broken: string[] }[]>, named: boolean) => exitCode(new Map(Object.entries(rounds)), { named });

describe('the exit code of chaos', () => {
  it('is 0 when all rounds held, and 1 when one did not', () => {
    expect(codeOf({ kill: [held, held], power: [held] }, true)).toBe(0);
    expect(codeOf({ kill: [held, broken], power: [held] }, true)).toBe(1);
  });

  it('is 75 when a kind that --only names had no round, since nothing was tested', () => {
    expect(codeOf({ power: [] }, true)).toBe(75);
    expect(codeOf({ kill: [held], power: [] }, true)).toBe(75);
    expect(codeOf({ kill: [broken], power: [] }, true)).toBe(1);
  });

  it('is 0 when a kind that nobody named cannot be made here, but 75 when none can', () => {
    expect(codeOf({ kill: [held], power: [] }, false)).toBe(0);
    expect(codeOf({ kill: [], power: [] }, false)).toBe(75);
  });
});
