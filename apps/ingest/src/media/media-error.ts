import { AppError, type ErrorKind } from '@parlance/platform';

/** Why a job's media cannot be transcribed; codes of the public contract. */
export type MediaErrorCode =
  | 'media_unreachable'
  | 'media_timeout'
  | 'media_too_large'
  | 'media_too_long'
  | 'media_empty'
  | 'media_unsupported'
  | 'media_corrupt'
  | 'media_no_audio';

const KINDS: Record<MediaErrorCode, ErrorKind> = {
  media_unreachable: 'unavailable',
  media_timeout: 'timeout',
  media_too_large: 'too_large',
  media_too_long: 'too_large',
  media_empty: 'unsupported_media',
  media_unsupported: 'unsupported_media',
  media_corrupt: 'unsupported_media',
  media_no_audio: 'unsupported_media',
};

/** Whether an error is of the media, and not of the store that it lies in. */
export const isMediaErrorCode = (code: string): code is MediaErrorCode => Object.hasOwn(KINDS, code);

/** @param message for the caller: no URL, no address, no path. */
export function mediaError(code: MediaErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}): AppError {
  return new AppError({ kind: KINDS[code], code, message, ...options });
}
