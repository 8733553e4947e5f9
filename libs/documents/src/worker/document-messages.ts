import type { SentError } from '@parlance/platform';
import type { DocumentFormat, DocumentHead, DocumentTurn } from '../content/document-content.js';

/** The data that a document thread is started with. */
export interface DocumentOrder {
  format: DocumentFormat;
  head: DocumentHead;
}

/** To the thread: the next bytes are wanted; the turns that it asked for. */
export type DocumentRequest = { pull: true } | { turns: DocumentTurn[]; isLast: boolean };

/** From the thread: it wants turns; bytes; the document is complete; its template cannot be used. */
export type DocumentAnswer = { need: true } | { bytes: Uint8Array } | { end: true } | { refused: SentError };
