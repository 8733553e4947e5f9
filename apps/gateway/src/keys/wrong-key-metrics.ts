import type { Metrics } from '@parlance/platform';
import { Counter } from 'prom-client';
import type { WrongKeyAnswer } from './wrong-keys.js';

/** Counts wrong keys and codes, and those that were refused unchecked, to detect guessing. */
export function countWrongKeys(metrics: Metrics): (answer: WrongKeyAnswer) => void {
  const counter = new Counter({
    name: 'parlance_wrong_keys_total',
    help: 'Wrong API keys and sign-up codes, and requests refused because their address sent too many of them',
    labelNames: ['answer'] as const,
    registers: [metrics],
  });
  return (answer) => counter.inc({ answer });
}
