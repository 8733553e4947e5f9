import { isIP } from 'node:net';
import { addressGroup } from '@parlance/egress';
import type { FastifyRequest } from 'fastify';

/** Whom a request is counted to when its caller is not known: the address it came from, by TRUSTED_PROXIES the one that a proxy names. */
export function addressOf(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  // What stands in X-Forwarded-For need not be an address.
  const address = isIP(request.ip ?? '') === 0 ? request.socket.remoteAddress : request.ip;
  return addressGroup(address ?? '');
}
