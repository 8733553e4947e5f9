import type { common } from '@parlance/contracts';
import type { ChunkCheckpoint } from '../chunks/chunk-checkpoint.js';

/** Seconds of speech in one language, with the seconds times the confidence; without confidence when the engine gave none. */
interface Speech {
  seconds: number;
  confidence: number | undefined;
}

/** Engine, language and warnings of a transcript, summed up from its chunks, which are added one by one. */
export class ChunkSummary {
  private readonly detected = new Map<string, Speech>();
  private readonly spoken = new Map<string, Speech>();
  private totalSeconds = 0;
  private uncertainSeconds = 0;
  private readonly warningsByText = new Map<string, common.Warning>();
  engine = '';
  /** True when a model wrote the punctuation of some words. */
  isPunctuated = false;

  add({ language, languageConfidence, spoken = language, isLanguageUncertain, speechSeconds, warnings, engine, audioSeconds, isPunctuated }: ChunkCheckpoint): void {
    if (this.engine === '' || audioSeconds > 0) this.engine = engine;
    for (const warning of warnings) this.warn(warning);
    if (isPunctuated) this.isPunctuated = true;
    if (isLanguageUncertain) this.uncertainSeconds += speechSeconds;
    if (spoken !== undefined) {
      this.totalSeconds += speechSeconds;
      addSpeech(this.spoken, spoken, speechSeconds, undefined);
    }
    if (language !== undefined) addSpeech(this.detected, language, speechSeconds, languageConfidence);
  }

  /** Adds a warning of the transcript as a whole. */
  warn(warning: common.Warning): void {
    this.warningsByText.set(`${warning.code} ${warning.message}`, warning);
  }

  /** The warnings of all chunks and of the whole, each once. */
  get warnings(): common.Warning[] {
    return [...this.warningsByText.values()];
  }

  /**
   * The language that was detected in most of the speech. The confidence is the share of speech in it, times the mean confidence of
   * the engine, and absent when the engine gives none.
   */
  get language(): { tag: string; confidence?: number } | undefined {
    const most = mostSpoken(this.detected);
    if (!most) return undefined;
    const [tag, { confidence }] = most;
    return { tag, ...(confidence !== undefined && { confidence: confidence / this.totalSeconds }) };
  }

  /** The language of most of the words, whether detected or chosen. */
  get spokenLanguage(): string | undefined {
    return mostSpoken(this.spoken)?.[0];
  }

  /** True when no expected language was detected in half of the speech or more. */
  get isLanguageUncertain(): boolean {
    return this.uncertainSeconds > 0 && this.uncertainSeconds * 2 >= this.totalSeconds;
  }
}

function addSpeech(speech: Map<string, Speech>, language: string, seconds: number, confidence: number | undefined): void {
  const { seconds: before, confidence: sum } = speech.get(language) ?? { seconds: 0, confidence: 0 };
  speech.set(language, { seconds: before + seconds, confidence: sum === undefined || confidence === undefined ? undefined : sum + seconds * confidence });
}

const mostSpoken = (speech: ReadonlyMap<string, Speech>): [string, Speech] | undefined => [...speech].filter(([, { seconds }]) => seconds > 0).toSorted(([, a], [, b]) => b.seconds - a.seconds)[0];
