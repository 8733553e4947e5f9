import { LRUCache } from 'lru-cache';
import type { DataKey } from '../../keys/data-keys.js';

const MAX_TEXTS = 256;
const MAX_ENVELOPE_CHARACTERS = 8192;

/** The text that an envelope sealed, and the document that it was opened for. */
interface OpenedText {
  documentId: string;
  data: string;
  secret: string;
}

/** Keeps the text that was opened last with each of the latest data keys. The text belongs to its key: it is out of reach once the key has left the memory. */
export class OpenedTexts {
  private readonly texts = new WeakMap<DataKey, OpenedText>();
  private readonly latest = new LRUCache<string, WeakRef<DataKey>>({ max: MAX_TEXTS, dispose: (key) => this.forget(key.deref()) });

  /** Returns the text of the envelope if it was the last one, of the same document. */
  find(key: DataKey, documentId: string, data: string): string | undefined {
    const text = this.texts.get(key);
    if (text?.documentId !== documentId || text.data !== data) return undefined;
    this.latest.get(key.id);
    return text.secret;
  }

  keep(key: DataKey, text: OpenedText): void {
    if (text.data.length > MAX_ENVELOPE_CHARACTERS) return;
    this.latest.set(key.id, new WeakRef(key));
    this.texts.set(key, text);
  }

  private forget(key: DataKey | undefined): void {
    if (key) this.texts.delete(key);
  }
}
