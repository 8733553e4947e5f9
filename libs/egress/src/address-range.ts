import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A block of addresses: network address and prefix length in bits. */
export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Reads CIDR blocks (RFC 4632); a bare address means itself alone.
 * @throws RangeError naming the first block that is wrong: no address, a prefix out of range, or bits set behind the prefix
 * (`10.1.2.3/8` is refused, since it can be meant as one host or as the whole network).
 */
export function parseCidrs(blocks: readonly string[]): AddressRange[] {
  return blocks.map(parseCidr);
}

function parseCidr(block: string): AddressRange {
  const [address = '', prefix, ...rest] = block.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) throw new RangeError(`"${block}" is not a CIDR block like 10.0.0.0/8 or fd00::/8`);
  const bits = family === 4 ? 32 : 128;
  if (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)) {
    throw new RangeError(`"${block}" has a prefix that is not 0 to ${bits}`);
  }
  const range: AddressRange = [ipaddr.parse(address), prefix === undefined ? bits : Number(prefix)];
  const network = networkOf(range);
  if (network !== range[0].toString()) throw new RangeError(`"${block}" has bits set behind its prefix; write ${network}/${range[1]} or ${address}/${bits}`);
  if (range[0] instanceof ipaddr.IPv6 && range[0].isIPv4MappedAddress()) throw new RangeError(`"${block}" is an IPv4-mapped block; write it as IPv4`);
  return range;
}

function networkOf([address, prefix]: AddressRange): string {
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return family.networkAddressFromCIDR(`${address.toString()}/${prefix}`).toString();
}

/** Whether the address lies in one of the ranges of its own family. */
export function inRanges(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix));
}

/** Bits of an IPv6 address that one customer of a provider has for itself, as a rule (RFC 6177). */
const CUSTOMER_BITS = 64;

/** Whose an address is, as far as counting goes: an IPv4 address itself, of IPv6 the /64 around it. What is no address stays as it is. */
export function addressGroup(address: string): string {
  const [plain = ''] = address.split('%');
  if (isIP(plain) === 0) return address;
  const parsed = ipaddr.process(plain);
  return parsed.kind() === 'ipv4' ? parsed.toString() : `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${CUSTOMER_BITS}`).toString()}/${CUSTOMER_BITS}`;
}
