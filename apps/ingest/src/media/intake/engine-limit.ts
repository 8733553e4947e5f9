import { Inject, Injectable } from '@nestjs/common';
import type { transcription, TranscriptService } from '@parlance/contracts';
import { toAppError, type AppError, type Logger } from '@parlance/platform';
import { LOGGER, TRANSCRIPT_SERVICE } from '@parlance/runtime';

const TIMEOUT_MS = 2000;

/** Asks transcription whether it has a speech engine, and for the maximum length of a chunk that the engine accepts. */
@Injectable()
export class EngineLimit {
  constructor(
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: Pick<TranscriptService, 'getEngine'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * @param model the name of the engine; undefined: the default one
   * @returns undefined while transcription does not answer. Media is planned all the same: transcription refuses what its engine cannot take.
   * @throws AppError model_unknown when there is no such engine
   */
  async seconds(model?: string): Promise<number | undefined> {
    const { maxChunkSeconds = 0 } = (await this.engine(model)) ?? {};
    return maxChunkSeconds > 0 ? maxChunkSeconds : undefined;
  }

  /** Passes while transcription does not answer. @throws AppError model_unknown when there is no such engine */
  async requireEngine(model?: string): Promise<void> {
    await this.engine(model);
  }

  /** @returns undefined while transcription does not answer; an error model_unknown when there is no such engine */
  async find(model: string): Promise<'present' | AppError | undefined> {
    return this.engine(model).then((engine) => engine && 'present', toAppError);
  }

  private async engine(model: string | undefined): Promise<transcription.GetEngineResponse | undefined> {
    try {
      return await this.transcripts.getEngine({ model }, { timeoutMs: TIMEOUT_MS });
    } catch (error) {
      if (toAppError(error).code === 'model_unknown') throw error;
      this.log.warn({ err: error }, 'transcription did not answer about a speech engine');
      return undefined;
    }
  }
}
