import { Inject, Injectable } from '@nestjs/common';
import type { engines, TranscriptService } from '@parlance/contracts';
import { AppError, singleFlight, type Clock, type Logger } from '@parlance/platform';
import { CLOCK, LOGGER, TRANSCRIPT_SERVICE } from '@parlance/runtime';

const FRESH_MS = 30_000;
/** An engine that has just not answered is not called again for this time. */
const AWAY_MS = 5_000;

/** The properties of the running engine, read again every half minute, or after some seconds when it does not answer. */
@Injectable()
export class EngineLanguages {
  private engine: engines.Engine | undefined;
  private freshUntil = 0;
  private readonly refresh = singleFlight(() => this.ask());

  constructor(
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: TranscriptService,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** The newest answer; undefined when there was none yet, so that a language can only be judged when the engine runs. */
  async known(): Promise<engines.Engine | undefined> {
    if (this.clock.now().getTime() >= this.freshUntil) await this.refresh();
    return this.engine;
  }

  /** @throws AppError service_unavailable */
  async require(): Promise<engines.Engine> {
    const engine = await this.known();
    if (engine) return engine;
    throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The speech engine does not respond; try again.' });
  }

  private async ask(): Promise<void> {
    try {
      const { engine } = await this.transcripts.getEngine({}, { timeoutMs: 2000 });
      this.engine = engine;
      this.freshUntil = this.clock.now().getTime() + FRESH_MS;
    } catch (error) {
      this.freshUntil = this.clock.now().getTime() + AWAY_MS;
      this.log.warn({ err: error }, 'could not read the languages of the speech engine');
    }
  }
}
