import type { Metrics } from '@parlance/platform';
import { Counter } from 'prom-client';
import type { WrongKeyAnswer } from './wrong-keys.js';

/** How many keys and codes were wrong, and how many were not looked at any more: somebody guesses. */
export function countWrongKeys(metrics: Metrics): (answer: WrongKeyAnswer) => void {
  const counter = new Counter({
    name: 'parlance_wrong_keys_total',
    help: 'API keys and sign-up codes that were wrong, or refused because too many from their address were',
    labelNames: ['answer'] as const,
    registers: [metrics],
  });
  return (answer) => counter.inc({ answer });
}
