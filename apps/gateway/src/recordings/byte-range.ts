import { AppError } from '@parlance/platform';

/** Bytes from `start` to before `end`. */
interface ByteRange {
  start: number;
  end: number;
}

const RANGE = /^bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))$/;

/**
 * The part of a resource that Range asks for (RFC 9110, section 14). Several ranges, other units and malformed ones are ignored, as
 * the RFC allows.
 * @returns undefined for all of it. @throws AppError range_not_satisfiable when it begins behind the end
 */
export function byteRange(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const [, first, last, suffix] = RANGE.exec(header?.trim() ?? '') ?? [];
  const start = suffix === undefined ? Number(first) : Math.max(0, sizeBytes - Number(suffix));
  if (Number.isNaN(start)) return undefined;
  const end = last === undefined ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (start < sizeBytes && suffix !== '0' && start < end) return { start, end };
  if (last !== undefined && Number(last) < Number(first)) return undefined;
  throw new AppError({ code: 'range_not_satisfiable', message: `The file has ${sizeBytes} bytes; the range is outside of them.` });
}

/** True when If-Range, if it is there, still names the state of the resource: else the whole is sent. A date is never taken for a match. */
export const isRangeCurrent = (ifRange: string | undefined, etag: string): boolean => ifRange === undefined || ifRange.trim() === etag;
