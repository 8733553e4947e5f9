import { Inject, Injectable } from '@nestjs/common';
import type { TranscriptService } from '@parlance/contracts';
import type { Logger } from '@parlance/platform';
import { LOGGER, TRANSCRIPT_SERVICE } from '@parlance/runtime';

const TIMEOUT_MS = 2000;

/** The maximum length of a chunk that the speech engine accepts. */
@Injectable()
export class EngineLimit {
  constructor(
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: Pick<TranscriptService, 'getEngine'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @returns undefined while transcription does not answer. Media is planned all the same: transcription refuses what its engine cannot take. */
  async seconds(): Promise<number | undefined> {
    try {
      const { maxChunkSeconds } = await this.transcripts.getEngine({}, { timeoutMs: TIMEOUT_MS });
      return maxChunkSeconds > 0 ? maxChunkSeconds : undefined;
    } catch (error) {
      this.log.warn({ err: error }, 'could not read the maximum audio length of the speech engine');
      return undefined;
    }
  }
}
