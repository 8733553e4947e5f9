import type { transcription } from '@parlance/contracts';
import { callUnary, type Logger } from '@parlance/platform';

const ANSWER_MS = 2000;

/** Tells the seconds of audio that one call of the speech engine takes at most; undefined when nobody knows now. */
export type EngineLimit = () => Promise<number | undefined>;

/** Asks transcription. While it is away media is planned all the same: transcription refuses what its engine cannot take. */
export function askEngineLimit(client: transcription.TranscriptServiceClient, log: Logger): EngineLimit {
  return async () => {
    try {
      const { maxChunkSeconds } = await callUnary(client, client.getEngine, {}, { timeoutMs: ANSWER_MS });
      return maxChunkSeconds > 0 ? maxChunkSeconds : undefined;
    } catch (error) {
      log.warn({ err: error }, 'the speech engine does not say how much audio it takes');
      return undefined;
    }
  };
}
