import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { FairPlaces } from './fair-places.js';

const never = new AbortController().signal;

/** Work that begins and ends when the test says so. */
class Desk {
  readonly begun: string[] = [];
  readonly outcomes: Promise<unknown>[] = [];
  private readonly running = new Map<string, () => void>();

  constructor(private readonly places: FairPlaces) {}

  ask(account: string, name: string, signal = never): void {
    const work = () => new Promise<void>((resolve) => {
      this.begun.push(name);
      this.running.set(name, resolve);
    });
    const outcome = this.places.run(account, signal, work);
    outcome.catch(() => undefined);
    this.outcomes.push(outcome);
  }

  async end(name: string): Promise<void> {
    this.running.get(name)?.();
    this.running.delete(name);
    await turn();
  }

  get atWork(): string[] {
    return [...this.running.keys()];
  }
}

describe('fair places', () => {
  it('leave room for another account, however much of one stalls', async () => {
    const desk = new Desk(new FairPlaces(2));
    for (const name of ['a1', 'a2', 'a3']) desk.ask('a', name);
    desk.ask('b', 'b1');
    await turn();
    expect(desk.begun).toEqual(['a1', 'b1']);
  });

  it('are given to accounts in turns, and within an account in order', async () => {
    const desk = new Desk(new FairPlaces(1));
    for (const name of ['a1', 'a2', 'a3']) desk.ask('a', name);
    for (const name of ['b1', 'b2']) desk.ask('b', name);
    await turn();
    for (let done = 0; done < 5; done += 1) await desk.end(desk.begun[done] ?? '');
    expect(desk.begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  it('are not kept for work that is given up, nor lost with work that fails', async () => {
    const places = new FairPlaces(1);
    await expect(places.run('a', never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const desk = new Desk(places);
    const stop = new AbortController();
    desk.ask('a', 'a1');
    desk.ask('a', 'a2', stop.signal);
    desk.ask('a', 'a3');
    stop.abort(new Error('canceled'));
    await expect(desk.outcomes[1]).rejects.toThrow('canceled');
    await desk.end('a1');
    expect(desk.begun).toEqual(['a1', 'a3']);
  });

  it('are never more than there are, nor idle while an account below its share waits, and everything gets one', async () => {
    const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.constant('end')), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), steps, async (places, run) => {
        const desk = new Desk(new FairPlaces(places));
        const share = Math.ceil(places / 2);
        const of = (names: string[], account: string) => names.filter((name) => name.startsWith(account)).length;
        const asked: string[] = [];
        for (const [number, step] of run.entries()) {
          if (step === 'end') await desk.end(desk.atWork[0] ?? '');
          else desk.ask(step, asked[asked.push(`${step}${number}`) - 1] ?? '');
          await turn();
          const { atWork, begun } = desk;
          expect(atWork.length).toBeLessThanOrEqual(places);
          for (const account of ['a', 'b', 'c']) {
            expect(of(atWork, account)).toBeLessThanOrEqual(share);
            const waits = of(asked, account) > of(begun, account);
            if (waits && of(atWork, account) < share) expect(atWork).toHaveLength(places);
          }
        }
        while (desk.atWork.length > 0) await desk.end(desk.atWork[0] ?? '');
        expect(desk.begun.toSorted()).toEqual(asked.toSorted());
      }),
      { numRuns: 50 },
    );
  });
});
