import { AppError } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';

/** The origins whose pages may open sockets. Programs send none; a page of another site must not use what its visitor may do. */
export class SocketOrigins {
  private readonly origins: ReadonlySet<string>;

  constructor(private readonly config: { CORS_ORIGINS: readonly string[]; PUBLIC_URL?: string | undefined }) {
    this.origins = new Set(config.CORS_ORIGINS);
  }

  /** @throws AppError live_origin_refused */
  require({ headers: { origin, host } }: Pick<FastifyRequest, 'headers'>): void {
    if (origin === undefined || this.origins.has('*') || this.origins.has(origin)) return;
    const own = [host, URL.parse(this.config.PUBLIC_URL ?? '')?.host];
    if (!own.includes(URL.parse(origin)?.host ?? 'none')) throw new AppError({ code: 'live_origin_refused', message: `The origin ${origin.slice(0, 100)} is not allowed.` });
  }
}
