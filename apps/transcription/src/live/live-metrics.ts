import { Inject, Injectable } from '@nestjs/common';
import type { Metrics } from '@parlance/platform';
import { METRICS } from '@parlance/runtime';
import { Counter, Gauge, Histogram } from 'prom-client';

/** The metrics of live streams. */
@Injectable()
export class LiveMetrics {
  private readonly open: Gauge;
  private readonly audio: Counter<'engine'>;
  private readonly finals: Histogram<'engine'>;

  constructor(@Inject(METRICS) metrics: Metrics) {
    const registers = [metrics];
    this.open = new Gauge({ name: 'parlance_live_streams', help: 'Live streams that this process recognizes now', registers });
    this.audio = new Counter({ name: 'parlance_live_recognized_seconds_total', help: 'Live audio that was received for recognition', labelNames: ['engine'], registers });
    this.finals = new Histogram({
      name: 'parlance_live_final_seconds',
      help: 'Time from the arrival of the end of an utterance to its final, with the pause that ended it',
      labelNames: ['engine'],
      buckets: [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30],
      registers,
    });
  }

  streams(count: number): void {
    this.open.set(count);
  }

  received(engine: string, seconds: number): void {
    this.audio.inc({ engine }, seconds);
  }

  finalSent(engine: string, seconds: number): void {
    this.finals.observe({ engine }, seconds);
  }
}
