import type { IncomingMessage } from 'node:http';
import { AppError, type IdGenerator } from '@parlance/platform';

/**
 * The maximum of request line and header fields together: enough for a search of 10,000 characters of any script,
 * percent-encoded in the URL.
 */
export const MAX_HEAD_BYTES = 128 * 1024;
/** The maximum of the header fields together, names included. It is Node's default for a whole head. */
const MAX_FIELDS_BYTES = 16 * 1024;

/** The maximum of a Content-Type: longer than any type with a charset and the boundary of a form. */
const MAX_CONTENT_TYPE_BYTES = 256;

/** RFC 3986, sections 3.2.2 and 3.2.3: a host and a port. */
const HOST = /^(?:\[[\da-f:.]{2,64}\]|[\w.~!$&'()*+,;=%-]{0,255})(?::\d{0,5})?$/i;

/** Why a request is refused before any of its work, by its head alone; undefined when it is not. */
export function headRefusal({ httpVersion, headers, rawHeaders }: Pick<IncomingMessage, 'httpVersion' | 'headers' | 'rawHeaders'>): AppError | undefined {
  let bytes = 0;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    bytes += name.length + (rawHeaders[index + 1] ?? '').length + FIELD_OVERHEAD;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (bytes > MAX_FIELDS_BYTES) return tooLarge('The header fields have', MAX_FIELDS_BYTES);
  if ((headers['content-type']?.length ?? 0) > MAX_CONTENT_TYPE_BYTES) return tooLarge('The header Content-Type has', MAX_CONTENT_TYPE_BYTES);
  // RFC 9112, section 3.2. Only HTTP/1.0 has requests without.
  if (hosts > 1) return malformed('The header Host is present more than once.');
  if (hosts === 0 && httpVersion !== '1.0') return malformed('The header Host is missing.');
  return HOST.test(headers.host ?? '') ? undefined : malformed('The header Host is not a host with an optional port.');
}

/** Colon, space, CR and LF. */
const FIELD_OVERHEAD = 4;

const tooLarge = (what: string, bytes: number) => new AppError({ kind: 'invalid', code: 'head_too_large', message: `${what} more than ${bytes} bytes.` });
const malformed = (message: string) => new AppError({ kind: 'invalid', code: 'malformed_request', message });

const REQUEST_ID = /^[A-Za-z0-9._~:+=@-]{1,128}$/;

/** The caller's own X-Request-Id when it can stand in headers and logs, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>, ids: IdGenerator): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : ids.next('req');
}
