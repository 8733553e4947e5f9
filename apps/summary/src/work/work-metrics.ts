import { Inject, Injectable } from '@nestjs/common';
import { TokenMetrics } from '@parlance/engines';
import type { Metrics } from '@parlance/platform';
import { METRICS } from '@parlance/runtime';
import { Counter, Histogram } from 'prom-client';
import type { Provenance } from '../engine/summary-engine.js';

/** The metrics of summaries and highlights. */
@Injectable()
export class WorkMetrics {
  private readonly seconds: Histogram<'work' | 'engine'>;
  private readonly dropped: Counter<'work' | 'engine'>;
  private readonly tokens: TokenMetrics;

  constructor(@Inject(METRICS) metrics: Metrics) {
    const registers = [metrics];
    this.seconds = new Histogram({
      name: 'parlance_summary_seconds',
      help: 'Time that a summary or the highlights of a transcript took',
      labelNames: ['work', 'engine'],
      buckets: [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000],
      registers,
    });
    this.dropped = new Counter({
      name: 'parlance_summary_dropped_items_total',
      help: 'Items that an engine returned without support in the transcript',
      labelNames: ['work', 'engine'],
      registers,
    });
    this.tokens = new TokenMetrics(metrics);
  }

  made(work: string, { engine, droppedItems, usage }: Provenance, seconds: number): void {
    this.seconds.observe({ work, engine }, seconds);
    if (droppedItems > 0) this.dropped.inc({ work, engine }, droppedItems);
    this.tokens.used(work, engine, usage);
  }
}
