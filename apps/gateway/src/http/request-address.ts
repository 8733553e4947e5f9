import { isIP } from 'node:net';
import { addressGroup } from '@parlance/egress';
import type { FastifyRequest } from 'fastify';

/** The address that an anonymous request is counted by: its peer, or the address that a proxy in TRUSTED_PROXIES names. */
export function addressOf(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  // X-Forwarded-For may contain something that is not an address.
  const address = isIP(request.ip ?? '') === 0 ? request.socket.remoteAddress : request.ip;
  return addressGroup(address ?? '');
}
