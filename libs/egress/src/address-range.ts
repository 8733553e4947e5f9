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
    throw new RangeError(`"${block}" has a prefix that is not between 0 and ${bits}`);
  }
  const range: AddressRange = [ipaddr.parse(address), prefix === undefined ? bits : Number(prefix)];
  const network = networkOf(range);
  if (network !== range[0].toString()) throw new RangeError(`"${block}" has bits set after its prefix; write ${network}/${range[1]} or ${address}/${bits}`);
  if (range[0] instanceof ipaddr.IPv6 && range[0].isIPv4MappedAddress()) throw new RangeError(`"${block}" is an IPv4-mapped block; write it as IPv4`);
  return range;
}

function networkOf([address, prefix]: AddressRange): string {
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return family.networkAddressFromCIDR(`${address.toString()}/${prefix}`).toString();
}

/** True when the address lies in one of the ranges of its own family. */
export function inRanges(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix));
}

/**
 * True when the address, given as text, lies in one of the ranges. An IPv4-mapped IPv6 address, as a dual-stack socket reports
 * it, counts as IPv4.
 */
export const isInRanges = (address: string, ranges: readonly AddressRange[]): boolean => isIP(address) > 0 && inRanges(ipaddr.process(address), ranges);

/** Prefix lengths by which addresses are counted, the narrowest first: what one customer of a provider has, as a rule (RFC 6177), and what it can get. */
const LADDERS = { ipv4: [32, 24], ipv6: [64, 56, 48] } as const;

/**
 * Returns the group that an address is counted in: an IPv4 address itself, or the /64 around an IPv6 address. Any other text
 * is returned unchanged.
 */
export function addressGroup(address: string): string {
  return addressLadder(address)[0] ?? address;
}

/**
 * The groups that an address belongs to, from the narrowest to the widest: an IPv4 address and its /24, of IPv6 the /64, /56 and
 * /48 around it. A caller may own all of a wider one. What is no address is a group of its own.
 * @param address an address, or the group that `addressGroup` gave for it
 */
export function addressLadder(address: string): string[] {
  const [plain = ''] = address.split(/[%/]/);
  if (isIP(plain) === 0) return [address];
  const parsed = ipaddr.process(plain);
  if (parsed.kind() === 'ipv4') return LADDERS.ipv4.map((bits) => (bits === 32 ? parsed.toString() : `${networkOf([parsed, bits])}/${bits}`));
  return LADDERS.ipv6.map((bits) => `${networkOf([parsed, bits])}/${bits}`);
}
