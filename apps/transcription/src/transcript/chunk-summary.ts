import type { common } from '@parlance/contracts';
import type { ChunkCheckpoint } from '../chunks/chunk-checkpoint.js';

/** Engine, language and warnings of a transcript, summed up from its chunks, which are added one by one. */
export class ChunkSummary {
  private readonly speech = new Map<string, { seconds: number; confidence: number }>();
  private readonly warningsByText = new Map<string, common.Warning>();
  engine = '';

  add({ language, languageConfidence = 1, speechSeconds, warnings, engine, audioSeconds }: ChunkCheckpoint): void {
    if (this.engine === '' || audioSeconds > 0) this.engine = engine;
    for (const warning of warnings) this.warningsByText.set(`${warning.code} ${warning.message}`, warning);
    if (language === undefined) return;
    const sum = this.speech.get(language) ?? { seconds: 0, confidence: 0 };
    this.speech.set(language, {
      seconds: sum.seconds + speechSeconds,
      confidence: sum.confidence + speechSeconds * languageConfidence,
    });
  }

  /** The warnings of all chunks, each once. */
  get warnings(): common.Warning[] {
    return [...this.warningsByText.values()];
  }

  /** The language most of the speech is in; the confidence is the share of speech in it, times the engine's mean confidence. */
  get language(): { tag: string; confidence: number } | undefined {
    const total = [...this.speech.values()].reduce((sum, { seconds }) => sum + seconds, 0);
    const [most] = [...this.speech].toSorted(([, a], [, b]) => b.seconds - a.seconds);
    return most && total > 0 ? { tag: most[0], confidence: most[1].confidence / total } : undefined;
  }
}
