import { Inject, Injectable } from '@nestjs/common';
import type { Metrics } from '@parlance/platform';
import { METRICS } from '@parlance/runtime';
import { Counter, Gauge, Histogram } from 'prom-client';

/** Measures the live sessions that this process has. */
@Injectable()
export class LiveMetrics {
  private readonly open: Gauge;
  private readonly ended: Counter<'reason'>;
  private readonly audio: Counter;
  private readonly lag: Histogram;

  constructor(@Inject(METRICS) metrics: Metrics) {
    const registers = [metrics];
    this.open = new Gauge({ name: 'parlance_live_sessions_open', help: 'Live sessions whose connection this process has', registers });
    this.ended = new Counter({ name: 'parlance_live_sessions_ended_total', help: 'Live sessions that this process ended, by reason', labelNames: ['reason'], registers });
    this.audio = new Counter({ name: 'parlance_live_audio_seconds_total', help: 'Seconds of live audio that were stored and acknowledged', registers });
    this.lag = new Histogram({ name: 'parlance_live_lag_seconds', help: 'Seconds of audio that were stored and not recognized yet, at each acknowledgement', buckets: [0.25, 0.5, 1, 2, 5, 10, 30], registers });
  }

  /** A connection has a session. @returns to be called once when it has it no more */
  connected(): () => void {
    this.open.inc();
    return () => this.open.dec();
  }

  /** @param reason `finish`, `request`, `window`, `canceled` or `failed` */
  sessionEnded(reason: string): void {
    this.ended.inc({ reason });
  }

  acknowledged(audioSeconds: number, lagSeconds: number): void {
    this.audio.inc(audioSeconds);
    this.lag.observe(lagSeconds);
  }
}
