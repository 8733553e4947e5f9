import { Inject, Injectable } from '@nestjs/common';
import { SecretBox } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import { z } from 'zod';
import type { GatewayConfig } from '../gateway.config.js';
import { invalidFields } from './field-errors.js';

const MAX_HEADERS = 10;
const MAX_BYTES = 8 * 1024;

/** Headers that belong to the connection, or to the message itself. */
const RESERVED = new Set([
  'accept-encoding', 'connection', 'content-encoding', 'content-length', 'content-type', 'expect', 'host', 'http2-settings', 'keep-alive', 'range',
  'te', 'trailer', 'transfer-encoding', 'upgrade', 'via', 'forwarded', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range',
]);

const isReserved = (name: string): boolean => RESERVED.has(name.toLowerCase()) || /^(?:proxy-|sec-|x-forwarded-)/i.test(name) || name === '__proto__';

/** A token (RFC 9110, section 5.6.2). */
const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'A header name must have 1 to 100 letters, digits, hyphens and other token characters.')
  .refine((text) => !isReserved(text), 'This header is set by the server itself, or belongs to the connection.');

/** Visible ASCII characters, and blanks between them. */
const headerValue = z.string().max(4096).regex(/^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/, 'A header value must have visible ASCII characters, and spaces only between them.');

/** Headers that a caller gives for requests to a server of its own. @param isTaken names that these requests set themselves */
export const headersSchema = (isTaken: (name: string) => boolean = () => false) =>
  z.record(headerName, headerValue).superRefine((headers, context) => {
    const wrong = (message: string, code: string, path: string[] = []) => context.addIssue({ code: 'custom', message, path, params: { code } });
    const names = Object.keys(headers);
    if (names.length > MAX_HEADERS) wrong(`This may have at most ${MAX_HEADERS} headers.`, 'too_long');
    if (JSON.stringify(headers).length > MAX_BYTES) wrong(`The headers may have at most ${MAX_BYTES} bytes together.`, 'too_long');
    if (new Set(names.map((each) => each.toLowerCase())).size < names.length) wrong('A header may be given only once.', 'invalid_value');
    for (const name of names.filter(isTaken)) wrong('This header is set by Parlance.', 'invalid_value', [name]);
  });

export type Headers = Readonly<Record<string, string>>;

/** Seals headers of callers before they leave the gateway. */
@Injectable()
export class SealedHeaders {
  private readonly box: SecretBox | undefined;

  constructor(@Inject(CONFIG) config: Pick<GatewayConfig, 'SECRETS_KEY'>) {
    this.box = SecretBox.of(config);
  }

  /** @param context the account and the object that they belong to: they are opened for these alone @throws AppError not_supported where the operator has set no key */
  seal(headers: Headers, context: string, pointer: string): string {
    if (!this.box) throw invalidFields([{ pointer, code: 'not_supported', detail: 'This server cannot keep headers: its operator has set no SECRETS_KEY.' }]);
    return this.box.seal(JSON.stringify(headers), context);
  }
}
