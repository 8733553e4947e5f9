import { Inject, Injectable } from '@nestjs/common';
import { SecretBox } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import { z } from 'zod';
import type { GatewayConfig } from '../gateway.config.js';
import { invalidFields } from '../http/field-errors.js';

const MAX_HEADERS = 10;
const MAX_BYTES = 8 * 1024;

/** Headers that belong to the connection, or that the fetch sets itself. */
const RESERVED = new Set([
  'accept-encoding', 'connection', 'content-encoding', 'content-length', 'content-type', 'expect', 'host', 'http2-settings', 'keep-alive', 'range',
  'te', 'trailer', 'transfer-encoding', 'upgrade', 'via', 'forwarded', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range',
]);

const isReserved = (name: string): boolean => RESERVED.has(name.toLowerCase()) || /^(?:proxy-|sec-|x-forwarded-)/i.test(name) || name === '__proto__';

/** A token (RFC 9110, section 5.6.2). */
const name = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'A header name must have 1 to 100 letters, digits, hyphens and other token characters.')
  .refine((text) => !isReserved(text), 'This header is set by the server itself, or belongs to the connection.');

/** Visible ASCII characters, and blanks between them. */
const value = z.string().max(4096).regex(/^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/, 'A header value must have visible ASCII characters, and spaces only between them.');

export const audioHeadersSchema = z
  .record(name, value)
  .superRefine((headers, context) => {
    const wrong = (message: string) => context.addIssue({ code: 'custom', message, params: { code: 'too_long' } });
    const names = Object.keys(headers);
    if (names.length > MAX_HEADERS) wrong(`This may have at most ${MAX_HEADERS} headers.`);
    if (JSON.stringify(headers).length > MAX_BYTES) wrong(`The headers may have at most ${MAX_BYTES} bytes together.`);
    if (new Set(names.map((each) => each.toLowerCase())).size < names.length) context.addIssue({ code: 'custom', message: 'A header may be given only once.', params: { code: 'invalid_value' } });
  })
  .meta({
    id: 'MediaHeaders',
    description: 'Headers for the request to `audio_url`, such as `Authorization`: at most 10. They are sealed at once, never returned, removed when the media was fetched, and not sent to another origin. When they are refused, the job fails with `media_unauthorized`.',
    example: { Authorization: 'Bearer 5f2c8a' },
    writeOnly: true,
  });

/** Seals the headers that a job's media is fetched with. */
@Injectable()
export class AudioHeaders {
  private readonly box: SecretBox | undefined;

  constructor(@Inject(CONFIG) config: Pick<GatewayConfig, 'SECRETS_KEY'>) {
    this.box = SecretBox.of(config);
  }

  /** @throws AppError not_supported where the operator has set no key */
  seal(headers: Readonly<Record<string, string>>, accountId: string, jobId: string): string {
    if (!this.box) throw invalidFields([{ pointer: '/audio_headers', code: 'not_supported', detail: 'This server cannot keep headers: its operator has set no SECRETS_KEY.' }]);
    return this.box.seal(JSON.stringify(headers), `${accountId}/${jobId}`);
  }
}
