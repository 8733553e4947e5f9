import { msOfBytes } from '../audio/raw-format.js';
import type { LiveAudio } from '../session/live-session.js';

/** Recognition counts in windows of 32 ms, and ends with the last whole one. */
const WINDOW_MS = 50;

/** Reports when everything before the last `finalize` has its final. */
export class FinalizedAudio {
  private untilMs: number | undefined;

  constructor(
    private readonly audio: LiveAudio,
    private readonly onFinal: () => void,
  ) {}

  /** @param offset bytes that had arrived with the `finalize` */
  expect(offset: number, finalMs: number): void {
    if ('container' in this.audio) return;
    this.untilMs = msOfBytes(this.audio, offset);
    this.advance(finalMs);
  }

  advance(finalMs: number): void {
    if (this.untilMs === undefined || finalMs < this.untilMs - WINDOW_MS) return;
    this.untilMs = undefined;
    this.onFinal();
  }
}
