import { Inject, Injectable } from '@nestjs/common';
import type { common } from '@parlance/contracts';
import type { Punctuator } from '@parlance/engines';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { bareTexts, punctuatedWords, type Word } from '@parlance/transcript';
import { PUNCTUATOR } from './punctuator.provider.js';

/** Includes the wait for a process and the loading of the model; a chunk takes fractions of a second. */
const TIMEOUT_MS = 30_000;

interface PunctuatedChunk {
  words: Word[];
  /** Absent: the words are as the engine gave them. */
  isPunctuated?: true;
  warnings: common.Warning[];
}

/** Writes the punctuation of a chunk of bare words by a model, where one is configured for their language. */
@Injectable()
export class ChunkPunctuator {
  constructor(
    @Inject(PUNCTUATOR) private readonly punctuator: Punctuator,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * A model that fails costs nothing but its punctuation: the words come back bare, with a warning.
   * @param language BCP 47; undefined when it is unknown
   * @throws what the abort of the signal means
   */
  async punctuate(words: Word[], language: string | undefined, signal: AbortSignal): Promise<PunctuatedChunk> {
    if (words.length === 0 || language === undefined) return { words, warnings: [] };
    const texts = bareTexts(words);
    const bare = words.map(({ start, end, text }, index) => ({ start, end, text: texts[index] ?? text }));
    try {
      const punctuation = await this.punctuator.punctuate({ words: bare, language, signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
      if (!punctuation) return { words, warnings: [] };
      return { words: punctuatedWords(words, { ...punctuation, language }), isPunctuated: true, warnings: [] };
    } catch (error) {
      if (signal.aborted) throw error;
      this.log.warn({ engine: this.punctuator.info.name, err: error }, 'punctuation failed, so rules write it');
      return { words, warnings: [PUNCTUATION_FAILED] };
    }
  }
}

const PUNCTUATION_FAILED: common.Warning = {
  code: 'punctuation_failed',
  message: 'In parts of the recording, the punctuation model failed or changed words. There, rules wrote the punctuation of English; words of other languages are bare.',
};
