import { Inject, Injectable } from '@nestjs/common';
import type { Metrics } from '@parlance/platform';
import { METRICS } from '@parlance/runtime';
import { Counter, Histogram } from 'prom-client';

/** The metrics of diarization. */
@Injectable()
export class SpeakerMetrics {
  private readonly realTimeFactor: Histogram<'engine'>;
  private readonly failures: Counter<'code'>;

  constructor(@Inject(METRICS) metrics: Metrics) {
    const registers = [metrics];
    this.realTimeFactor = new Histogram({
      name: 'parlance_diarization_real_time_factor',
      help: 'Seconds of diarization for each second of audio',
      labelNames: ['engine'],
      buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
      registers,
    });
    this.failures = new Counter({ name: 'parlance_diarization_failures_total', help: 'Diarization stages that failed, by error code', labelNames: ['code'], registers });
  }

  diarized(engine: string, processingSeconds: number, audioSeconds: number): void {
    if (audioSeconds > 0) this.realTimeFactor.observe({ engine }, processingSeconds / audioSeconds);
  }

  failed(code: string): void {
    this.failures.inc({ code });
  }
}
