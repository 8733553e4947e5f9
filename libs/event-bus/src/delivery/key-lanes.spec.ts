import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { KeyLanes } from './key-lanes.js';

interface Item {
  key: string;
  number: number;
}

const steps = fc.array(fc.oneof({ weight: 2, arbitrary: fc.constantFrom('a', 'b', 'c') }, fc.constantFrom('take', 'finish', 'again')), { maxLength: 200 });

describe('KeyLanes', () => {
  it('never gives out two items of a key, and gives the items of a key in order, whatever happens', () => {
    fc.assert(
      fc.property(steps, (run) => {
        const lanes = new KeyLanes<Item>();
        const taken = new Map<string, Item>();
        const lastFinished = new Map<string, number>();
        run.forEach((step, number) => {
          const [oldest] = taken.values();
          if (step === 'take') {
            const next = lanes.peek();
            const item = lanes.take();
            expect(item).toBe(next);
            if (!item) return;
            expect(taken.has(item.key)).toBe(false);
            expect(item.number).toBeGreaterThan(lastFinished.get(item.key) ?? -1);
            taken.set(item.key, item);
          } else if (step === 'finish' || step === 'again') {
            if (!oldest) return;
            taken.delete(oldest.key);
            lanes[step](oldest.key);
            if (step === 'finish') lastFinished.set(oldest.key, oldest.number);
          } else {
            lanes.add(step, { key: step, number });
          }
        });
      }),
    );
  });

  it('gives every item out in the end', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c')), (keys) => {
        const lanes = new KeyLanes<string>();
        keys.forEach((key) => lanes.add(key, key));
        const out: string[] = [];
        for (let item = lanes.take(); item !== undefined; item = lanes.take()) {
          out.push(item);
          lanes.finish(item);
        }
        expect(out.toSorted()).toEqual(keys.toSorted());
      }),
    );
  });

  it('takes turns between keys', () => {
    const lanes = new KeyLanes<string>();
    for (const item of ['a1', 'a2', 'b1']) lanes.add(item.charAt(0), item);
    const out = [lanes.take()];
    lanes.finish('a');
    out.push(lanes.take(), lanes.take());
    expect(out).toEqual(['a1', 'b1', 'a2']);
  });
});
