import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressPolicy } from './address-policy.js';
import { bestOf, forbidden } from './checked-url.js';

export type AddressLookup = (
  hostname: string,
  options: { family?: number; hints?: number; all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A look-up for Node's sockets that knows only the addresses of a name that may be reached on the port. */
export const permittedLookup =
  (policy: AddressPolicy, lookup: AddressLookup, port: number): LookupFunction =>
  (hostname, { all, family, hints }, callback) => {
    const wanted = { all: true as const, ...(typeof family === 'number' ? { family } : {}), ...(hints === undefined ? {} : { hints }) };
    lookup(hostname, wanted, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const verdicts = addresses.map(({ address }) => policy.judge(address, port));
      const permitted = addresses.filter((_address, index) => verdicts[index] === 'permitted');
      const [first] = permitted;
      const verdict = bestOf(verdicts);
      if (verdict !== 'permitted' || !first) return callback(forbidden(verdict === 'port' ? 'port' : 'address'), '', 0);
      return all ? callback(null, permitted) : callback(null, first.address, first.family);
    });
  };

/** The addresses of a host, name or literal, that may be reached on the port. @throws AppError `address_forbidden`; errors of the resolver */
export function permittedAddresses(policy: AddressPolicy, lookup: AddressLookup, host: string, port: number): Promise<LookupAddress[]> {
  const family = isIP(host);
  const resolve: AddressLookup = family === 0 ? lookup : (address, _options, callback) => callback(null, [{ address, family }]);
  return new Promise((done, fail) => {
    permittedLookup(policy, resolve, port)(host, { all: true }, (error, addresses) => (error ? fail(error) : done(addresses as unknown as LookupAddress[])));
  });
}
