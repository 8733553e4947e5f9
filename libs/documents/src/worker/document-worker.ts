import { once } from 'node:events';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { AppError } from '@parlance/platform/errors';
import type { DocumentTurn } from '../content/document-content.js';
import type { DocumentAnswer, DocumentOrder, DocumentRequest } from './document-messages.js';

/** Bytes that are worth a message. */
const PIECE_LENGTH = 64 * 1024;

/** Each loads what it needs alone: fonts and PDFKit are nothing to a Word document. */
const RENDERERS = {
  docx: async () => (await import('../docx/render-docx.js')).renderDocx,
  md: async () => (await import('../markdown/render-md.js')).renderMd,
  pdf: async () => (await import('../pdf/render-pdf.js')).renderPdf,
};

/** Writes one document, never more than was requested: a part that has not been read is not written ahead. */
async function write(port: MessagePort, { format, head }: DocumentOrder): Promise<void> {
  const answer = (message: DocumentAnswer) => port.postMessage(message);
  const requests = messagesOf(port);
  await requests.next();
  const render = await RENDERERS[format]();
  for await (const bytes of pieces(render(head, turnsOf(requests, answer)))) {
    answer({ bytes });
    await requests.next();
  }
  answer({ end: true });
}

/** An error of the product keeps its code; any other one ends the thread. */
function refuse(port: MessagePort, error: unknown): void {
  if (!(error instanceof AppError)) throw error;
  const { kind, code, message, fields } = error;
  port.postMessage({ refused: { kind, code, message, fields } } satisfies DocumentAnswer);
}

async function* messagesOf(port: MessagePort): AsyncGenerator<DocumentRequest> {
  for (;;) {
    const [message] = (await once(port, 'message')) as [DocumentRequest];
    yield message;
  }
}

async function* turnsOf(requests: AsyncGenerator<DocumentRequest>, answer: (message: DocumentAnswer) => void): AsyncGenerator<DocumentTurn> {
  for (;;) {
    answer({ need: true });
    const { value } = await requests.next();
    if (!value || !('turns' in value)) throw new Error('The thread did not receive what it requested.');
    yield* value.turns;
    if (value.isLast) return;
  }
}

async function* pieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const part of bytes) {
    held.push(part);
    length += part.length;
    if (length < PIECE_LENGTH) continue;
    yield Buffer.concat(held);
    [held, length] = [[], 0];
  }
  if (length > 0) yield Buffer.concat(held);
}

if (parentPort) {
  const port = parentPort;
  await write(port, workerData as DocumentOrder).catch((error: unknown) => refuse(port, error));
  port.close();
}
