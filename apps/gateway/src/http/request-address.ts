import type { Server } from 'node:http';
import { isIP } from 'node:net';
import { addressGroup } from '@parlance/egress';
import type { FastifyRequest } from 'fastify';

/** The address of the client: its peer, or the address that a proxy in TRUSTED_PROXIES names. */
export function clientAddressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  // X-Forwarded-For may contain something that is not an address.
  return (isIP(ip ?? '') === 0 ? socket.remoteAddress : ip) ?? '';
}

/** The address that an anonymous request is counted by; of IPv6, its /64. */
export const addressOf = (request: Pick<FastifyRequest, 'ip' | 'socket'>): string => addressGroup(clientAddressOf(request));

/** An IPv6 address in brackets or an IPv4 address, and a port. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|(\d{1,3}(?:\.\d{1,3}){3}))(?::\d{1,5})?$/i;

/** X-Forwarded-For with addresses alone: some proxies, such as Azure's Application Gateway, append the port of the client. */
export const addressesOf = (forwardedFor: string): string =>
  forwardedFor
    .split(',')
    .map((entry) => entry.trim().replace(WITH_PORT, (_, v6?: string, v4?: string) => v6 ?? v4 ?? ''))
    .join(', ');

/** Before anything reads the header, so that a trusted proxy in the middle of a chain is recognized too. */
export function dropForwardedPorts(server: Server): void {
  server.prependListener('request', ({ headers }) => {
    const given = headers['x-forwarded-for'];
    if (typeof given === 'string') headers['x-forwarded-for'] = addressesOf(given);
  });
}
