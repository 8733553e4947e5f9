import { list } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { compatFormOf } from '../compat/compat-form.js';
import { pathOf } from './refusal.js';
import { addVary } from './vary.js';

/** Origins of applications that show pages of their own: Obsidian, Capacitor and Ionic, Tauri, Electron, and extensions of browsers. */
const APP_ORIGIN = /^(?:app|capacitor|ionic|tauri|electron|chrome-extension|moz-extension|safari-web-extension):\/\/[a-z0-9.-]+$/;

/** An origin as browsers send it (RFC 6454, section 7): lower case, without a path, and without the port that its scheme has anyway. */
const isOrigin = (text: string): boolean => {
  if (APP_ORIGIN.test(text)) return true;
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === text && !url.hostname.includes('*');
};

export const corsConfig = {
  CORS_ORIGINS: list()
    .refine((origins) => origins.every((origin) => origin === '*' || isOrigin(origin)), 'must be origins such as https://app.example.org or app://obsidian.md, or *')
    .default([])
    .describe('Origins whose web pages may call the API from a browser, comma-separated, such as https://app.example.org, or of applications, such as app://obsidian.md, capacitor://localhost and tauri://localhost; * is every origin. Browsers send no cookies: a page needs a key or, better, a short-lived token. Empty: none'),
} as const satisfies Record<string, z.ZodType>;

/** Request headers that a page may set; Last-Event-ID and the others that browsers allow without a preflight need no mention. */
const REQUEST_HEADERS = 'Authorization, X-API-Key, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id, traceparent, Range, Content-Digest, Repr-Digest, Upload-Length, Upload-Metadata, Upload-Offset, Upload-Checksum, Upload-Defer-Length, Upload-Concat, Tus-Resumable, X-HTTP-Method-Override';

/** Response headers that clients need; without this, scripts see only a few. */
const RESPONSE_HEADERS = 'ETag, Location, Content-Disposition, Replaced-Characters, Retry-After, RateLimit, RateLimit-Policy, X-Should-Retry, X-Request-Id, WWW-Authenticate, Allow, Idempotency-Replayed, Deprecation, Sunset, Link, Accept-Ranges, Content-Range, Upload-Offset, Upload-Length, Upload-Expires, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, X-Parlance-Transcription-Id, DG-Request-Id';

/** Seconds for which a browser remembers a preflight; Chromium's maximum. */
const PREFLIGHT_SECONDS = 7200;

/** The CORS protocol (Fetch standard) for the configured origins. No credentials: a browser adds none, and pages send a key or token themselves. */
export class Cors {
  private readonly origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.origins = new Set(origins);
  }

  /** Sets the headers of an answer to a page of another origin. */
  allow({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
    if (this.origins.size === 0) return;
    // A cache must not give one origin the answer for another.
    if (!this.origins.has('*')) addVary(reply, 'Origin');
    if (!this.isAllowed(origin)) return;
    reply.headers({ 'access-control-allow-origin': this.origins.has('*') ? '*' : origin, 'access-control-expose-headers': RESPONSE_HEADERS });
  }

  /** Sets the headers of the answer to a preflight: an OPTIONS request by which a browser asks whether it may send another one. */
  allowMethods({ headers, url }: FastifyRequest, reply: FastifyReply, methods: readonly string[]): void {
    if (headers['access-control-request-method'] === undefined || !this.isAllowed(headers.origin)) return;
    // The clients of other vendors' APIs send headers of their own, such as X-Stainless-Lang.
    const requested = compatFormOf(pathOf(url)) && headers['access-control-request-headers'];
    reply.headers({ 'access-control-allow-methods': methods.join(', '), 'access-control-allow-headers': requested ?? REQUEST_HEADERS, 'access-control-max-age': String(PREFLIGHT_SECONDS) });
  }

  private isAllowed(origin: string | undefined): origin is string {
    return origin !== undefined && (this.origins.has('*') || this.origins.has(origin));
  }
}
