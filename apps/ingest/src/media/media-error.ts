import { AppError, isReportedBy, type CodeWith } from '@parlance/platform';

/** Why a job's media cannot be transcribed; codes of the public contract. */
type MediaErrorCode = Extract<CodeWith<'failure'>, `media_${string}`>;

/** True for an error of the media; false for one of the store that it lies in. */
export const isMediaErrorCode = (code: string): code is MediaErrorCode => isReportedBy('media', code);

/** @param message for the caller: no URL, no address, no path. */
export const mediaError = (code: MediaErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}): AppError => new AppError({ code, message, ...options });
