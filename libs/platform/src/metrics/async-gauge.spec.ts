import { expect, it } from '@jest/globals';
import { asyncGauge } from './async-gauge.js';
import { createMetrics } from './metrics.js';

it('a gauge that is looked up keeps its last value while looks fail or do not end', async () => {
  const metrics = createMetrics();
  const looks = [() => Promise.resolve(7), () => Promise.reject(new Error('the store is away')), () => new Promise<number>(() => {})];
  asyncGauge(metrics, { name: 'parlance_waiting', help: 'Who waits' }, async (gauge) => gauge.set(await looks.shift()!()));
  while (looks.length > 0) expect(await metrics.metrics()).toContain('parlance_waiting 7');
});
