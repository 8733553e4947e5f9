import type { Metrics } from '@parlance/platform';
import { Gauge } from 'prom-client';
import { ISOLATION_LEVELS, type IsolationLevel } from './index.js';

/** 1 for the level that holds in this process, 0 for the others: an alert can ask for any of them. */
export function measureIsolation(metrics: Metrics, level: IsolationLevel): void {
  const gauge = new Gauge({
    name: 'parlance_media_sandbox',
    help: 'How strongly ffmpeg and ffprobe are isolated: 1 for the level in use',
    labelNames: ['level'],
    registers: [metrics],
  });
  for (const each of ISOLATION_LEVELS) gauge.set({ level: each }, each === level ? 1 : 0);
}
