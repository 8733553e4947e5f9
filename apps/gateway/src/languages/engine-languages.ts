import type { engines, transcription } from '@parlance/contracts';
import { AppError, callUnary, type Clock, type Logger } from '@parlance/platform';

const FRESH_MS = 30_000;
/** Nobody waits for an engine that has just not answered. */
const AWAY_MS = 5_000;

/** What the running engine says of itself, asked again every half minute; when it does not answer, after some seconds. */
export class EngineLanguages {
  private engine: engines.Engine | undefined;
  private asked: Promise<void> | undefined;
  private freshUntil = 0;

  constructor(
    private readonly client: transcription.TranscriptServiceClient,
    private readonly clock: Clock,
    private readonly log: Logger,
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
    throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The speech engine does not answer; try again.' });
  }

  private refresh(): Promise<void> {
    this.asked ??= this.ask().finally(() => (this.asked = undefined));
    return this.asked;
  }

  private async ask(): Promise<void> {
    try {
      const { engine } = await callUnary(this.client, this.client.getEngine, {}, { timeoutMs: 2000 });
      this.engine = engine;
      this.freshUntil = this.clock.now().getTime() + FRESH_MS;
    } catch (error) {
      this.freshUntil = this.clock.now().getTime() + AWAY_MS;
      this.log.warn({ err: error }, 'the speech engine does not say which languages it takes');
    }
  }
}
