import { isIP } from 'node:net';
import { AppError } from '@parlance/platform';
import type { AddressPolicy, Verdict } from './address-policy.js';

/** The port that a connection of this origin uses. */
export const portOf = ({ protocol, port }: { protocol: string; port?: string | null | undefined }): number =>
  Number(port || (protocol === 'https:' ? 443 : 80));

/** Checks everything that needs no look-up. @throws AppError `address_forbidden`, `invalid_url` */
export function checkedUrl(policy: AddressPolicy, url: string | URL): URL {
  // The URL parser turns every spelling of an IPv4 address (decimal, hexadecimal, octal, shortened, trailing dot) into the dotted one.
  const parsed = URL.parse(String(url));
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) throw invalidUrl('The URL is not an http or https URL.');
  if (parsed.username !== '' || parsed.password !== '') throw invalidUrl('The URL contains credentials; use a presigned URL instead.');
  const refused = verdictOn(policy, parsed.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''), portOf(parsed));
  if (refused !== 'permitted') throw forbidden(refused);
  return parsed;
}

function verdictOn(policy: AddressPolicy, host: string, port: number): Verdict {
  if (isIP(host) !== 0) return policy.judge(host, port);
  if (host === 'localhost' || host.endsWith('.localhost')) return bestOf(['127.0.0.1', '::1'].map((address) => policy.judge(address, port)));
  return policy.usesPort(port) ? 'permitted' : 'port';
}

/**
 * Combines the verdicts on the addresses of one name: one permitted address is enough, and a wrong port explains more than a
 * wrong address.
 */
export const bestOf = (verdicts: readonly Verdict[]): Verdict =>
  (['permitted', 'port'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'address';

export const forbidden = (verdict: Exclude<Verdict, 'permitted'>): AppError =>
  new AppError({ kind: 'invalid', code: 'address_forbidden', message: MESSAGES[verdict] });

const MESSAGES = {
  address: 'The URL leads to an address that is not public.',
  port: 'The URL leads to a port that this server does not connect to.',
};

const invalidUrl = (message: string) => new AppError({ kind: 'invalid', code: 'invalid_url', message });
