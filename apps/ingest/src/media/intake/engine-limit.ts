import type { TranscriptService } from '@parlance/contracts';
import type { Logger } from '@parlance/platform';

const ANSWER_MS = 2000;

/** Tells the seconds of audio that one call of the speech engine takes at most; undefined when nobody knows now. */
export type EngineLimit = () => Promise<number | undefined>;

/** Asks transcription. While it is away media is planned all the same: transcription refuses what its engine cannot take. */
export function askEngineLimit(transcripts: TranscriptService, log: Logger): EngineLimit {
  return async () => {
    try {
      const { maxChunkSeconds } = await transcripts.getEngine({}, { timeoutMs: ANSWER_MS });
      return maxChunkSeconds > 0 ? maxChunkSeconds : undefined;
    } catch (error) {
      log.warn({ err: error }, 'could not read the maximum audio length of the speech engine');
      return undefined;
    }
  };
}
