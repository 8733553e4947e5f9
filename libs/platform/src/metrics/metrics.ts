import { Registry } from 'prom-client';

/** The registry of one process; services register their own metrics, prefixed `parlance_`. */
export type Metrics = Registry;

export const createMetrics = (): Metrics => new Registry();
