import { Inject, Injectable } from '@nestjs/common';
import type { TranscriptService } from '@parlance/contracts';
import { toAppError, type Logger } from '@parlance/platform';
import { LOGGER, TRANSCRIPT_SERVICE } from '@parlance/runtime';

const TIMEOUT_MS = 2000;

/** The maximum length of a chunk that the speech engine accepts. */
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
    try {
      const { maxChunkSeconds } = await this.transcripts.getEngine({ model }, { timeoutMs: TIMEOUT_MS });
      return maxChunkSeconds > 0 ? maxChunkSeconds : undefined;
    } catch (error) {
      if (toAppError(error).code === 'model_unknown') throw error;
      this.log.warn({ err: error }, 'could not read the maximum audio length of the speech engine');
      return undefined;
    }
  }
}
