import { describe, expect, it } from '@jest/globals';
import { circuitAfter, isOpen, type Circuit } from './circuit-breaker.js';
import type { Outcome } from './delivery.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const at = (seconds: number): Date => new Date(START + seconds * 1000);
const after = (circuit: Circuit | undefined, outcome: Outcome, seconds: number) => circuitAfter(circuit, outcome, at(seconds), 0.5);
const fail = (times: number, secondsBetween: number, from?: Circuit): Circuit | undefined =>
  Array.from({ length: times }).reduce<Circuit | undefined>((circuit, _, nth) => after(circuit, 'retry', nth * secondsBetween), from);

describe('the circuit of a receiver', () => {
  it('opens when it keeps failing, not for a moment’s trouble', () => {
    expect(isOpen(fail(5, 1))).toBe(false);
    expect(isOpen(fail(4, 60))).toBe(false);
    expect(fail(5, 3)).toMatchObject({ failures: 5, openUntil: at(12 + 5).toISOString() });
    expect(isOpen(fail(20, 0.1))).toBe(true);
  });

  it('rests longer after each probe that fails, up to five minutes', () => {
    let circuit = fail(20, 0);
    const rests: number[] = [];
    for (let probe = 0; probe < 9; probe += 1) {
      rests.push((Date.parse(circuit!.openUntil!) - START) / 1000);
      circuit = after(circuit, 'retry', 0);
    }
    expect(rests).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('closes with the first success, and takes a 410 for neither', () => {
    const open = fail(20, 0);
    expect(after(open, 'gone', 9)).toBe(open);
    expect(after(open, 'delivered', 9)).toBeUndefined();
  });
});
