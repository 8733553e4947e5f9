import { expect, it } from '@jest/globals';
import { asyncGauge } from './async-gauge.js';
import { createMetrics } from './metrics.js';

it('a gauge that is read asynchronously keeps its last value while reading fails or does not end', async () => {
  const metrics = createMetrics();
  const readings = [() => Promise.resolve(7), () => Promise.reject(new Error('the store is away')), () => new Promise<number>(() => {})];
  asyncGauge(metrics, { name: 'parlance_waiting', help: 'Waiting jobs' }, async (gauge) => gauge.set(await readings.shift()!()));
  while (readings.length > 0) expect(await metrics.metrics()).toContain('parlance_waiting 7');
});
