import { Inject, Injectable } from '@nestjs/common';
import { AppError, fairLoser, makeFairRoom } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import type { TranscriptionConfig } from '../transcription.config.js';
import { LiveMetrics } from './live-metrics.js';
import { LiveStream } from './live-stream.js';

/** Open streams for each place: one without a place costs memory alone. */
const STREAMS_PER_PLACE = 10;

/**
 * Bounds the live streams that this process recognizes at once. A stream has a place while it is spoken into: it begins with one, gives
 * it back after some seconds without speech, and takes one again with the next word. When none is free, an account takes one of the
 * account with the most of them, until both have as many: that stream is refused and begins anew elsewhere.
 */
@Injectable()
export class LiveStreams {
  /** The oldest first. */
  private readonly open = new Set<LiveStream>();

  constructor(
    @Inject(CONFIG) private readonly config: Pick<TranscriptionConfig, 'LIVE_STREAMS'>,
    @Inject(LiveMetrics) private readonly metrics: Pick<LiveMetrics, 'streams'>,
  ) {}

  /** A stream with a place, until it is disposed of. @throws AppError no_live_capacity */
  begin(accountId: string): LiveStream {
    const { LIVE_STREAMS: places } = this.config;
    const open = [...this.open].filter(({ lost }) => !lost.aborted);
    // Both first: a stream must not be lost for one that is refused all the same.
    const losers = [fairLoser(open, places * STREAMS_PER_PLACE, accountId, noCapacity), fairLoser(this.placed(), places, accountId, noCapacity)];
    for (const loser of losers) loser?.lose(noCapacity());
    const stream: LiveStream = new LiveStream(accountId, {
      take: () => makeFairRoom(this.placed(), places, accountId, noCapacity),
      changed: () => this.metrics.streams(this.placed().length),
      ended: () => this.open.delete(stream),
    });
    this.open.add(stream);
    this.metrics.streams(this.placed().length);
    return stream;
  }

  private placed(): LiveStream[] {
    return [...this.open].filter(({ hasPlace }) => hasPlace);
  }
}

const noCapacity = () => new AppError({ kind: 'rate_limited', code: 'no_live_capacity', message: 'This process recognizes as many live streams as it may.' });
