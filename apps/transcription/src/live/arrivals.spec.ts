import { expect, it } from '@jest/globals';
import { Arrivals } from './arrivals.js';

it('says how long ago a sample arrived, and forgets what arrived before it', () => {
  const arrivals = new Arrivals();
  for (const [bytes, now] of [[100, 10], [101, 20], [99, 30]] as const) arrivals.add(bytes, now);
  expect([arrivals.since(50, 40), arrivals.since(51, 40), arrivals.since(101, 40), arrivals.since(150, 40), arrivals.since(1000, 40)]).toEqual([30, 20, 10, 10, 10]);
});
