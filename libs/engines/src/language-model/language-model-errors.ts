import { AppError } from '@parlance/platform/errors';
import { abortedCall, callFailed, callRateLimited, callTimeout } from '../call-errors.js';

const ENGINE = 'The language model';

export const canceledGeneration = (signal: AbortSignal): AppError => abortedCall(signal, generationTimeout, 'The call to the language model was canceled.');

export const generationTimeout = (cause?: unknown): AppError => callTimeout(ENGINE, cause);

export const generationRateLimited = (retryAfter: number | undefined, cause?: unknown): AppError => callRateLimited(ENGINE, retryAfter, cause);

export const generationFailed = callFailed;

/** The model does not want to; it would not the next time either. */
export const generationRefused = (): AppError =>
  new AppError({ kind: 'unavailable', code: 'engine_refused', message: 'The language model refused to answer.', retryable: false });
