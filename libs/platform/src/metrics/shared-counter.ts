import { Counter, type CounterConfiguration } from 'prom-client';
import type { Metrics } from './metrics.js';

/** A counter of several services, whose process may run them all: whoever comes first makes it. */
export const sharedCounter = <Label extends string>(metrics: Metrics, about: Pick<CounterConfiguration<Label>, 'name' | 'help' | 'labelNames'>): Counter<Label> =>
  (metrics.getSingleMetric(about.name) as Counter<Label> | undefined) ?? new Counter({ ...about, registers: [metrics] });
