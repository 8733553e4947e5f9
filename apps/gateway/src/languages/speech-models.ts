import { Inject, Injectable } from '@nestjs/common';
import type { engines, transcription, TranscriptService } from '@parlance/contracts';
import { AppError, singleFlight, type Clock, type FieldError, type Logger } from '@parlance/platform';
import { CLOCK, LOGGER, TRANSCRIPT_SERVICE } from '@parlance/runtime';

const FRESH_MS = 30_000;
/** Engines that have just not answered are not called again for this time. */
const AWAY_MS = 5_000;

/** A speech engine that jobs can choose, with its properties. */
export type SpeechModel = transcription.SpeechEngine & { engine: engines.Engine };

/** The running speech engines, read again every half minute, or after some seconds when they do not answer. */
@Injectable()
export class SpeechModels {
  private models: SpeechModel[] | undefined;
  private freshUntil = 0;
  private readonly refresh = singleFlight(() => this.ask());

  constructor(
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: Pick<TranscriptService, 'listEngines'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** The newest answer; undefined when there was none yet, so that a request can only be judged when the engines run. */
  async known(): Promise<readonly SpeechModel[] | undefined> {
    if (this.clock.now().getTime() >= this.freshUntil) await this.refresh();
    return this.models;
  }

  /** The default one first. @throws AppError service_unavailable */
  async require(): Promise<readonly SpeechModel[]> {
    const models = await this.known();
    if (models) return models;
    throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The speech engine does not respond; try again.' });
  }

  private async ask(): Promise<void> {
    try {
      const answer = await this.transcripts.listEngines({}, { timeoutMs: 2000 });
      this.models = answer.engines.filter((each): each is SpeechModel => each.engine !== undefined);
      this.freshUntil = this.clock.now().getTime() + FRESH_MS;
    } catch (error) {
      this.freshUntil = this.clock.now().getTime() + AWAY_MS;
      this.log.warn({ err: error }, 'could not read the languages of the speech engine');
    }
  }
}

/** The model of this name; without a name the default one. */
export const findModel = (models: readonly SpeechModel[], name: string | undefined): SpeechModel | undefined =>
  models.find(({ model, isDefault }) => (name === undefined ? isDefault : model === name));

/** The error of a request that names a model that does not exist. */
export const unknownModel = (pointer: string, models: readonly SpeechModel[]): FieldError => ({
  pointer,
  code: 'model_unknown',
  detail: `There is no such model. The models are: ${models.map(({ model }) => model).join(', ')}.`.slice(0, 500),
});
