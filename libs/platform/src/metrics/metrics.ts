import { Counter, type CounterConfiguration, Registry } from 'prom-client';

/** The registry of one process; services register their own metrics, prefixed `parlance_`. */
export type Metrics = Registry;

export const createMetrics = (): Metrics => new Registry();

/** A counter of several services, which may all run in one process: the first one creates it. */
export const sharedCounter = <Label extends string>(metrics: Metrics, about: Pick<CounterConfiguration<Label>, 'name' | 'help' | 'labelNames'>): Counter<Label> =>
  (metrics.getSingleMetric(about.name) as Counter<Label> | undefined) ?? new Counter({ ...about, registers: [metrics] });
