import { Gauge, type GaugeConfiguration } from 'prom-client';
import type { Metrics } from './metrics.js';

/** How long reading the metrics waits for a look, in ms. */
const PATIENCE_MS = 1000;

/**
 * Looked up when the metrics are read. While looks fail or take longer than a second the gauge keeps its last value:
 * a store that is away must not take every other metric with it.
 */
export function lookedUpGauge<Label extends string>(metrics: Metrics, about: Pick<GaugeConfiguration<Label>, 'name' | 'help' | 'labelNames'>, look: (gauge: Gauge<Label>) => Promise<void>): void {
  let looking: Promise<void> | undefined;
  const gauge = new Gauge<Label>({
    ...about,
    registers: [],
    collect() {
      looking ??= look(this).catch(() => undefined).finally(() => (looking = undefined));
      return Promise.race([looking, patience()]);
    },
  });
  metrics.registerMetric(gauge);
}

const patience = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
