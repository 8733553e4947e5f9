import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import type { TranscriptionConfig } from '../transcription.config.js';
import { LiveMetrics } from './live-metrics.js';

/** Bounds the live streams that this process recognizes at once. */
@Injectable()
export class LiveStreams {
  private open = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<TranscriptionConfig, 'LIVE_STREAMS'>,
    @Inject(LiveMetrics) private readonly metrics: LiveMetrics,
  ) {}

  /** @returns what gives the place back. @throws AppError no_live_capacity */
  take(): () => void {
    if (this.open >= this.config.LIVE_STREAMS) throw new AppError({ kind: 'rate_limited', code: 'no_live_capacity', message: 'This process recognizes as many live streams as it may.' });
    this.change(1);
    return () => this.change(-1);
  }

  private change(by: 1 | -1): void {
    this.open += by;
    this.metrics.streams(this.open);
  }
}
