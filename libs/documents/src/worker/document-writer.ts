import { AppError, receivedError } from '@parlance/platform';
import type { DocumentFormat, DocumentHead, DocumentTurn } from '../content/document-content.js';
import { templateRefused } from '../markdown/document-template.js';
import type { DocumentOrder } from './document-messages.js';
import { DocumentSpool } from './document-spool.js';
import { DocumentThread } from './document-thread.js';
import { Slots } from './slots.js';
import { SpoolSpace } from './spool-space.js';
import { TurnReader } from './turn-reader.js';

/** Milliseconds that writing a document may take, however fast it is read: ten hours take seconds. */
const MAX_WRITING_MS = 300_000;

/** Milliseconds that a template may take, once its thread runs. It is checked from outside as well, since no filter can be interrupted. */
const TEMPLATE_MS = 5000;

interface DocumentWriterOptions {
  /** Documents written at once, each by a thread. */
  concurrency: number;
  /** Milliseconds that one waits for its turn. */
  maxWaitMs: number;
  /** For what is written and not read yet. */
  scratchFolder: string;
  /** Bytes of that, of all documents together. */
  spoolBytes: number;
  templateMs?: number;
}

/** Writes documents on threads of their own, a limited number at the same time; the others wait. A slow reader does not occupy a thread. */
export class DocumentWriter {
  private readonly slots: Slots;
  private readonly space: SpoolSpace;
  private readonly folder: string;
  private readonly templateMs: number;

  constructor({ concurrency, maxWaitMs, scratchFolder, spoolBytes, templateMs = TEMPLATE_MS }: DocumentWriterOptions) {
    this.slots = new Slots(concurrency, maxWaitMs);
    this.space = new SpoolSpace(spoolBytes);
    this.folder = scratchFolder;
    this.templateMs = templateMs;
  }

  /**
   * The document's bytes while it is written. Leaving the loop ends the thread.
   * @param signal aborted when nobody wants them any more, also while it waits for its turn
   * @throws AppError service_unavailable when its turn did not come, or there is no space; storage_full; timeout
   */
  async *write(format: DocumentFormat, head: DocumentHead, turns: AsyncIterable<DocumentTurn>, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const release = await this.slots.take(signal);
    const spool = await DocumentSpool.open(this.folder, this.space).catch((error: unknown) => {
      release();
      throw error;
    });
    const left = new AbortController();
    const unwanted = signal ? AbortSignal.any([signal, left.signal]) : left.signal;
    const writing = writeTo(spool, { format, head }, turns, unwanted, head.template === undefined ? undefined : this.templateMs)
      .then(() => spool.end(), (error: unknown) => spool.end({ error }))
      .finally(release);
    try {
      yield* spool.read();
    } finally {
      left.abort();
      await writing;
      await spool.close();
    }
  }
}

/** @param answerMs milliseconds within which the running thread answers each request; undefined: no limit */
async function writeTo(spool: DocumentSpool, order: DocumentOrder, turns: AsyncIterable<DocumentTurn>, unwanted: AbortSignal, answerMs: number | undefined): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(tookTooLong()), MAX_WRITING_MS);
  const ended = AbortSignal.any([unwanted, late.signal]);
  const reading = new TurnReader(turns, ended);
  const thread = new DocumentThread(order, ended);
  try {
    let answer = await thread.ask({ pull: true });
    while (!('end' in answer)) {
      if ('refused' in answer) throw receivedError(answer.refused);
      if ('bytes' in answer) await spool.append(answer.bytes);
      answer = await inTime(thread.ask('bytes' in answer ? { pull: true } : await reading.batch()), answerMs);
    }
  } catch (error) {
    throw order.head.template !== undefined && isOutOfMemory(error) ? templateRefused('The document that it makes is too large.') : error;
  } finally {
    clearTimeout(timer);
    await Promise.all([reading.close(), thread.close()]);
  }
}

/** @throws AppError invalid_request after so many milliseconds */
async function inTime<T>(answer: Promise<T>, limitMs: number | undefined): Promise<T> {
  if (limitMs === undefined) return answer;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(templateRefused('It takes too long on this transcript.')), limitMs);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const isOutOfMemory = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const tookTooLong = () => new AppError({ kind: 'timeout', code: 'service_unavailable', message: 'Writing the document took too long.' });
