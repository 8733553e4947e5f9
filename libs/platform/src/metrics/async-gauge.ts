import { Gauge, type GaugeConfiguration } from 'prom-client';
import { singleFlight } from '../async/single-flight.js';
import { withTimeout } from '../async/with-timeout.js';
import type { Metrics } from './metrics.js';

/** Milliseconds that reading the metrics waits for a new value. */
const TIMEOUT_MS = 1000;

/**
 * Registers a gauge whose value is read asynchronously when the metrics are read. While reading fails or takes longer than a
 * second, the gauge keeps its last value, so that an unavailable store does not make every other metric unavailable.
 */
export function asyncGauge<Label extends string>(metrics: Metrics, about: Pick<GaugeConfiguration<Label>, 'name' | 'help' | 'labelNames'>, read: (gauge: Gauge<Label>) => Promise<void>): void {
  const refresh = singleFlight(() => read(gauge).catch(() => undefined));
  const gauge: Gauge<Label> = new Gauge<Label>({
    ...about,
    registers: [],
    collect: () => withTimeout(TIMEOUT_MS, refresh(), () => undefined),
  });
  metrics.registerMetric(gauge);
}
