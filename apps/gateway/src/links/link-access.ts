import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';
import { addressOf } from '../http/request-address.js';
import { Authenticator } from '../keys/authenticator.js';
import { WrongLinks } from '../keys/wrong-keys.js';
import { RequestRates } from '../limits/request-rates.js';
import type { ShareLink } from './share-link.js';
import { ShareLinks } from './share-links.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The link of the request: it was admitted by it, or is refused for its rate. */
    link: ShareLink | null;
  }
}

/** Admits requests by the secret of a link, as KeyGuard admits those with a key. */
@Injectable()
export class LinkAccess {
  constructor(
    @Inject(ShareLinks) private readonly links: Pick<ShareLinks, 'find' | 'hasExpired'>,
    @Inject(Authenticator) private readonly authenticator: Pick<Authenticator, 'refusalOf'>,
    @Inject(WrongLinks) private readonly wrongSecrets: Pick<WrongLinks, 'count'>,
    @Inject(RequestRates) private readonly rates: Pick<RequestRates, 'admitLink'>,
  ) {}

  /**
   * The link with the secret, which is then that of the request. The error does not say why there is none.
   * @throws AppError not_found; rate_limited for a link that is used too often, and for a wrong secret after too many from the address
   */
  async admit(secret: string, request: FastifyRequest): Promise<ShareLink> {
    const link = await this.find(secret, addressOf(request));
    if (!link || this.links.hasExpired(link) || (await this.authenticator.refusalOf(link.keyId))) throw notFound('The link');
    request.link = link;
    await this.rates.admitLink(link);
    return link;
  }

  private async find(secret: string, address: string): Promise<ShareLink | undefined> {
    const link = await this.links.find(secret);
    if (!link) this.wrongSecrets.count(address);
    return link;
  }
}
