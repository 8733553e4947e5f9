import type { RestartPoint } from '../session/live-session.js';

/** Restart points that were reached, until the audio before them is stored: a session must not skip audio that its client sends again. */
export class RestartPoints {
  private readonly waiting: { point: RestartPoint; offset: number }[] = [];
  private newest: RestartPoint;

  constructor(private stored: RestartPoint) {
    this.newest = stored;
  }

  /** For a recognition that begins anew in this process. */
  get latest(): RestartPoint {
    return this.newest;
  }

  /** @param offset of the bytes that recognition had read */
  add(point: RestartPoint, offset: number): void {
    if (point.sample <= this.newest.sample) return;
    this.newest = point;
    this.waiting.push({ point, offset });
  }

  /** The latest one that needs no byte from the offset on. */
  within(acknowledged: number): RestartPoint {
    while (this.waiting[0] && this.waiting[0].offset <= acknowledged) this.stored = this.waiting.shift()?.point ?? this.stored;
    return this.stored;
  }
}
