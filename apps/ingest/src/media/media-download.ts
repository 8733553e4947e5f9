import { setTimeout as sleep } from 'node:timers/promises';
import type { Egress } from '@parlance/egress';
import type { FetchLimits } from './fetch-limits.js';
import { mediaError } from './media-error.js';
import { openMedia, type MediaAnswer } from './open-media.js';
import { TransientAnswer, type RetryBudget } from './retry-budget.js';

/** The file on the server is not, or cannot be shown to be, the one that the bytes so far are of: begin again at the first byte. */
export class DownloadChanged extends Error {
  constructor() {
    super('The media server cannot resume where the connection broke.');
  }
}

export interface DownloadProgress {
  /** Never going back, even where the download begins again. */
  receivedBytes: number;
  /** As the server stated it. */
  totalBytes: number | undefined;
}

export interface DownloadOptions {
  egress: Egress;
  url: string;
  limits: FetchLimits;
  budget: RetryBudget;
  signal: AbortSignal;
  /** Headers of the caller, for the origin of the URL alone. */
  headers?: Readonly<Record<string, string>> | undefined;
  onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/** The first answer's description of the whole file, for resuming (RFC 9110, sections 13.1.5 and 14). */
interface Representation {
  totalBytes: number | undefined;
  /** For If-Range: a strong ETag or a strong Last-Modified; without it nothing can be resumed. */
  validator: string | undefined;
}

/**
 * The bytes under a URL, once each and in order, over as many connections as the budget allows.
 * @throws DownloadChanged; AppError media_unreachable, media_timeout, media_too_large, media_empty, media_unsupported, address_forbidden.
 */
export async function* downloadMedia({ egress, url, limits, budget, signal, headers: ownHeaders, onProgress }: DownloadOptions): AsyncGenerator<Uint8Array> {
  let offset = 0;
  let known: Representation | undefined;
  for (;;) {
    try {
      const headers = known?.validator !== undefined && offset > 0 ? { range: `bytes=${offset}-`, 'if-range': known.validator } : undefined;
      if (offset > 0 && !headers) throw new DownloadChanged();
      budget.asking();
      const answer = await openMedia(egress, url, headers ?? {}, { limits, signal, ownHeaders });
      budget.headReceived();
      if (ownHeaders && (answer.status === 401 || answer.status === 403)) throw unauthorized(answer);
      known = readHead(answer, known, offset);
      if (known.totalBytes !== undefined && known.totalBytes > limits.maxBytes) throw tooLarge(answer, limits);
      if (answer.status !== 416) {
        for await (const piece of answer.body) {
          offset += piece.length;
          budget.received(offset);
          if (offset > limits.maxBytes) throw tooLarge(answer, limits);
          onProgress?.({ receivedBytes: budget.furthest, totalBytes: known.totalBytes });
          yield piece;
        }
      }
      if (known.totalBytes !== undefined && offset < known.totalBytes) throw new Error('The media server sent only a part of the requested range.');
      if (offset === 0) throw mediaError('media_empty', 'The media server sent an empty file.');
      return;
    } catch (failure) {
      if (failure instanceof DownloadChanged) throw failure;
      signal.throwIfAborted();
      await sleep(budget.failed(failure), undefined, { signal });
    }
  }
}

/** Judges status and headers. @throws TransientAnswer, DownloadChanged, AppError; the body is dropped then. */
function readHead(answer: MediaAnswer, known: Representation | undefined, offset: number): Representation {
  const resuming = known !== undefined && offset > 0;
  try {
    if (answer.status === 206 && resuming) return continued(answer, known, offset);
    if (answer.status === 416 && resuming) return atEnd(answer, known, offset);
    if (answer.status === 200 && resuming) throw new DownloadChanged();
    if (answer.status === 200 || answer.status === 203) return begun(answer);
    if (answer.status === 204 || answer.status === 205) throw mediaError('media_empty', 'The media server sent an empty response.');
    if ([408, 425, 429].includes(answer.status) || answer.status >= 500) throw new TransientAnswer(answer.status, retryAfterMs(answer));
    throw mediaError('media_unreachable', `The media server answered ${answer.status}.`, { retryable: false });
  } catch (error) {
    answer.discard();
    throw error;
  }
}

function begun(answer: MediaAnswer): Representation {
  const encoding = answer.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity' && encoding !== '') {
    throw mediaError('media_unsupported', 'The media server sent the media compressed although it was asked not to.');
  }
  const length = answer.header('content-length');
  return { totalBytes: length === undefined ? undefined : Number(length), validator: strongValidator(answer) };
}

function continued(answer: MediaAnswer, known: Representation, offset: number): Representation {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(answer.header('content-range') ?? '') ?? [];
  if (Number(start) !== offset) throw new DownloadChanged();
  if (total === undefined || total === '*') return known;
  if (known.totalBytes !== undefined && known.totalBytes !== Number(total)) throw new DownloadChanged();
  return { ...known, totalBytes: Number(total) };
}

/** The connection broke just at the end, before it could be seen that it was the end. */
function atEnd(answer: MediaAnswer, known: Representation, offset: number): Representation {
  const total = Number(/^bytes \*\/(\d+)$/.exec(answer.header('content-range') ?? '')?.[1]);
  if (total !== offset || (known.totalBytes ?? total) !== total) throw new DownloadChanged();
  answer.discard();
  return known;
}

function strongValidator(answer: MediaAnswer): string | undefined {
  const etag = answer.header('etag');
  if (etag !== undefined) return etag.startsWith('"') ? etag : undefined;
  const modified = answer.header('last-modified');
  // A date is strong only when a change within the same second would have shown (RFC 9110, section 8.8.2.2).
  const settled = Date.parse(answer.header('date') ?? '') - Date.parse(modified ?? '') >= 1000;
  return settled ? modified : undefined;
}

function retryAfterMs(answer: MediaAnswer): number | undefined {
  const value = answer.header('retry-after');
  return value !== undefined && /^\d+$/.test(value) ? Number(value) * 1000 : undefined;
}

function unauthorized(answer: MediaAnswer): Error {
  answer.discard();
  return mediaError('media_unauthorized', `The media server answered ${answer.status} to the request with the headers of the job.`, { retryable: false });
}

function tooLarge(answer: MediaAnswer, limits: FetchLimits): Error {
  answer.discard();
  return mediaError('media_too_large', `The media is larger than ${limits.maxBytes} bytes.`);
}
