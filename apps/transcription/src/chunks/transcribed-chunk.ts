import type { common } from '@parlance/contracts';
import type { Word } from '@parlance/transcript';

/** The words of a chunk that are one final of a live session, in the order of the chunk's words. */
interface ChunkFinal {
  words: number;
  /** BCP 47 */
  language?: string | undefined;
}

/** The result of one chunk. */
export interface TranscribedChunk {
  /** Times are relative to the chunk's start. */
  words: Word[];
  /** Seconds of planned speech: the weight of the detected language. */
  speechSeconds: number;
  /** Seconds of audio that the engine received; 0 for a chunk without speech. */
  audioSeconds: number;
  /** Seconds of wall-clock time. */
  processingSeconds: number;
  engine: string;
  /** BCP 47: the language that the engine detected. */
  language?: string | undefined;
  languageConfidence?: number | undefined;
  /** BCP 47: the language of the words where the detection was limited to expected languages. */
  spoken?: string | undefined;
  /** True when none of the expected languages was detected with enough confidence. */
  isLanguageUncertain?: boolean | undefined;
  /** True when a model wrote the punctuation of the words. */
  isPunctuated?: boolean | undefined;
  /** The finals of a live session. Their words are written as the job asks, and may reach past the end of the chunk. */
  finals?: ChunkFinal[] | undefined;
  warnings: common.Warning[];
}
