import { Inject, Injectable } from '@nestjs/common';
import type { Metrics } from '@parlance/platform';
import { METRICS } from '@parlance/runtime';
import { Counter, Histogram } from 'prom-client';

/** The metrics of chunks. */
@Injectable()
export class ChunkMetrics {
  private readonly seconds: Histogram<'engine' | 'model'>;
  private readonly realTimeFactor: Histogram<'engine' | 'model'>;
  private readonly retries: Counter;
  private readonly failures: Counter<'code'>;

  constructor(@Inject(METRICS) metrics: Metrics) {
    const registers = [metrics];
    this.seconds = new Histogram({
      name: 'parlance_chunk_processing_seconds',
      help: 'Time that the engine took for a chunk',
      labelNames: ['engine', 'model'],
      buckets: [0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320],
      registers,
    });
    this.realTimeFactor = new Histogram({
      name: 'parlance_chunk_real_time_factor',
      help: 'Seconds of processing for each second of audio',
      labelNames: ['engine', 'model'],
      buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      registers,
    });
    this.retries = new Counter({ name: 'parlance_chunk_retries_total', help: 'Attempts at a chunk after its first', registers });
    this.failures = new Counter({
      name: 'parlance_chunk_failures_total',
      help: 'Chunks that failed their last attempt, by error code',
      labelNames: ['code'],
      registers,
    });
  }

  transcribed({ engine, model, processingSeconds, audioSeconds }: { engine: string; model: string; processingSeconds: number; audioSeconds: number }): void {
    if (audioSeconds === 0) return;
    this.seconds.observe({ engine, model }, processingSeconds);
    this.realTimeFactor.observe({ engine, model }, processingSeconds / audioSeconds);
  }

  retried(): void {
    this.retries.inc();
  }

  failed(code: string): void {
    this.failures.inc({ code });
  }
}
