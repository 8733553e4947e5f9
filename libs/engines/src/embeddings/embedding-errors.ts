import type { AppError } from '@parlance/platform/errors';
import { abortedCall, callFailed, callRateLimited, callTimeout } from '../call-errors.js';

const ENGINE = 'The embedding engine';

export const canceledEmbedding = (signal: AbortSignal): AppError => abortedCall(signal, embeddingTimeout, 'The embedding was canceled.');

export const embeddingTimeout = (cause?: unknown): AppError => callTimeout(ENGINE, cause);

export const embeddingRateLimited = (retryAfter: number | undefined, cause?: unknown): AppError => callRateLimited(ENGINE, retryAfter, cause);

export const embeddingFailed = callFailed;
