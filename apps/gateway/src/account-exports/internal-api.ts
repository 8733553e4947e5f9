import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AppError } from '@parlance/platform';
import type { FastifyInstance } from 'fastify';
import { Authenticator } from '../keys/authenticator.js';

/** Answers for what is not there, or cannot be for the job. */
const ABSENT = new Set([404, 409, 410, 422]);

/** Reads what an account can read by the public API, in this process and as the API shows it. */
@Injectable()
export class InternalApi {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(Authenticator) private readonly authenticator: Pick<Authenticator, 'openInternal'>,
  ) {}

  /**
   * @param path below /api/v1
   * @returns the body of the answer; undefined when there is no such thing. @throws AppError service_unavailable before the API is served, and for any other refusal
   */
  async get(accountId: string, path: string): Promise<Buffer | undefined> {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    // A request before that would boot Fastify, which then takes no further plugins, and the process could not start.
    if (!server.server.listening) throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The API is not served yet.' });
    using access = this.authenticator.openInternal(accountId);
    const { statusCode, rawPayload } = await server.inject({ method: 'GET', url: `/api/v1${path}`, headers: { authorization: `Bearer ${access.apiKey}` } });
    if (statusCode === 200) return rawPayload;
    if (ABSENT.has(statusCode)) return undefined;
    throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: `GET ${path.split('?')[0]} answered ${statusCode}.` });
  }

  async json<T>(accountId: string, path: string): Promise<T | undefined> {
    const body = await this.get(accountId, path);
    return body && (JSON.parse(body.toString()) as T);
  }

  /** The items of all pages of a list. @param path has no query yet */
  async *items(accountId: string, path: string): AsyncGenerator<unknown> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await this.page(accountId, path, cursor ?? null, 100);
      yield* page.data;
      cursor = page.next;
    }
  }

  /** One page of a list; a list that is not there is empty. @param path may have a query */
  async page(accountId: string, path: string, cursor: string | null, limit: number): Promise<{ data: unknown[]; next: string | null }> {
    const query = `${path.includes('?') ? '&' : '?'}limit=${limit}${cursor === null ? '' : `&${cursorName(path)}=${encodeURIComponent(cursor)}`}`;
    const page = await this.json<{ data: unknown[]; next_cursor?: string | null; has_more?: boolean }>(accountId, `${path}${query}`);
    return { data: page?.data ?? [], next: page?.has_more === false ? null : (page?.next_cursor ?? null) };
  }
}

/** The events of an account have no last page, and a position in place of a cursor. */
const cursorName = (path: string): string => (path.startsWith('/events') ? 'after' : 'cursor');
