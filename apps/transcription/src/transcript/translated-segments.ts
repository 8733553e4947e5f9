import type { summary } from '@parlance/contracts';
import { wordsOfText, type Segment } from '@parlance/transcript';

/**
 * The segments with their translated texts, in the same order. Ids, times and speakers stay; words have no times of their own.
 * A segment that was added after the translation keeps its text.
 * @param estimateWords true for a document that is laid out by words: their times are then shared out over the segment
 */
export async function* translatedSegments(segments: AsyncIterable<Segment>, translation: AsyncIterable<summary.ReadTranslationResponse>, estimateWords: boolean): AsyncGenerator<Segment> {
  const texts = new TextsAhead(translation);
  try {
    for await (const segment of segments) {
      const { confidence: _confidence, language: _language, ...kept } = segment;
      const text = await texts.of(segment.segmentId);
      const translated = { ...kept, text: text ?? segment.text, words: [] };
      yield estimateWords ? { ...translated, words: wordsOfText(translated) } : translated;
    }
  } finally {
    await texts.close();
  }
}

/** Holds the texts between the last segment that was found and the end of the page that was read: of ten hours a megabyte, where a segment has no translation. */
class TextsAhead {
  private readonly held = new Map<string, string>();
  private readonly pages: AsyncIterator<summary.ReadTranslationResponse>;
  private isRead = false;

  constructor(translation: AsyncIterable<summary.ReadTranslationResponse>) {
    this.pages = translation[Symbol.asyncIterator]();
  }

  async of(segmentId: string): Promise<string | undefined> {
    while (!this.held.has(segmentId) && !this.isRead) await this.readPage();
    const text = this.held.get(segmentId);
    if (text !== undefined) this.forgetUntil(segmentId);
    return text;
  }

  async close(): Promise<void> {
    await this.pages.return?.();
  }

  private async readPage(): Promise<void> {
    const { value, done } = await this.pages.next();
    this.isRead = done === true;
    if (!done) for (const { segmentId, text } of value.segments) this.held.set(segmentId, text);
  }

  /** The texts before it belong to segments that are gone. */
  private forgetUntil(segmentId: string): void {
    for (const id of this.held.keys()) {
      this.held.delete(id);
      if (id === segmentId) return;
    }
  }
}
