import { AppError } from '@parlance/platform';

const SEGMENT = /^[A-Za-z0-9._-]{1,200}$/;
/** As long as S3 takes them. */
const MAX_LENGTH = 1024;

/** @throws AppError invalid_media_key, for whatever could lead out of the store most of all. */
export function assertMediaKey(key: string): void {
  if (key.length > MAX_LENGTH || !key.split('/').every(isSegment)) throw invalidKey();
}

/** Checks the prefix of a list: the beginning of a key. @throws AppError invalid_media_key */
export function assertMediaPrefix(prefix: string): void {
  const segments = prefix.split('/');
  const last = segments.pop();
  if (prefix.length > MAX_LENGTH || !segments.every(isSegment) || (last !== '' && !/^[A-Za-z0-9._-]+$/.test(last ?? ''))) throw invalidKey();
}

/** Checks the prefix of a removal: whole segments, with a '/' at the end. @throws AppError invalid_media_key */
export function assertMediaFolder(prefix: string): void {
  if (!prefix.endsWith('/')) throw invalidKey();
  assertMediaKey(prefix.slice(0, -1));
}

const isSegment = (segment: string): boolean => SEGMENT.test(segment) && segment !== '.' && segment !== '..';

const invalidKey = () =>
  new AppError({ kind: 'invalid', code: 'invalid_media_key', message: 'A media key is segments of letters, digits, ".", "_" and "-", joined by "/".' });
