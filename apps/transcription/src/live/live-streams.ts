import { Inject, Injectable } from '@nestjs/common';
import { AppError, makeFairRoom } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import type { TranscriptionConfig } from '../transcription.config.js';
import { LiveMetrics } from './live-metrics.js';
import { LiveStream } from './live-stream.js';

/** Open streams for each place: one without a place costs memory alone. */
const STREAMS_PER_PLACE = 10;

/**
 * Bounds the live streams that this process recognizes at once. A stream has a place while it is spoken into: it begins with one if one is
 * free, gives it back after some seconds without speech, and takes one with the next word. When none is free, it takes that of the stream
 * that has been quiet for longest; when all are spoken into, its account takes one of the account with the most of them, until both have as
 * many: that stream is refused and begins anew elsewhere.
 */
@Injectable()
export class LiveStreams {
  /** The oldest first. */
  private readonly open = new Set<LiveStream>();

  constructor(
    @Inject(CONFIG) private readonly config: Pick<TranscriptionConfig, 'LIVE_STREAMS'>,
    @Inject(LiveMetrics) private readonly metrics: Pick<LiveMetrics, 'streams'>,
  ) {}

  /** A stream, until it is disposed of. @throws AppError no_live_capacity when there are too many, with and without places */
  begin(accountId: string): LiveStream {
    const { LIVE_STREAMS: places } = this.config;
    const open = [...this.open].filter(({ lost }) => !lost.aborted);
    makeFairRoom(open, places * STREAMS_PER_PLACE, accountId, noCapacity);
    const stream: LiveStream = new LiveStream(accountId, this.placed().length < places, {
      take: () => this.makeRoom(accountId),
      changed: () => this.metrics.streams(this.placed().length),
      ended: () => this.open.delete(stream),
    });
    this.open.add(stream);
    this.metrics.streams(this.placed().length);
    return stream;
  }

  /** @throws AppError no_live_capacity */
  private makeRoom(accountId: string): void {
    const placed = this.placed();
    if (placed.length < this.config.LIVE_STREAMS) return;
    const quiet = placed.filter(({ quietSince }) => quietSince !== undefined).toSorted((one, other) => (one.quietSince ?? 0) - (other.quietSince ?? 0));
    if (quiet[0]) quiet[0].giveBack();
    else makeFairRoom(placed, this.config.LIVE_STREAMS, accountId, noCapacity);
  }

  private placed(): LiveStream[] {
    return [...this.open].filter(({ hasPlace }) => hasPlace);
  }
}

const noCapacity = () => new AppError({ kind: 'rate_limited', code: 'no_live_capacity', message: 'This process recognizes as many live streams as it may.' });
