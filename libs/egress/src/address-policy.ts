import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { inRanges, type AddressRange } from './address-range.js';

/** Decides which IP addresses this product may connect to on behalf of a caller. */
export interface AddressPolicy {
  /** @param address an IP address in text; anything else is not permitted. */
  permits(address: string): boolean;
}

/** The unicast space that IANA gives out; everything outside it is for special use (RFC 4291, section 2.4). */
const GLOBAL_UNICAST: AddressRange = [ipaddr.IPv6.parse('2000::'), 3];
/** NAT64 (RFC 6052): how an IPv6-only host reaches IPv4 servers, so it is as good as the address inside it. */
const NAT64: AddressRange = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/**
 * Permits public unicast addresses (IANA special-purpose registries, RFC 6890) and what the operator allows.
 * IPv4-mapped and NAT64 addresses are judged by the IPv4 address inside; 6to4 and Teredo are never public.
 */
export function createAddressPolicy(allow: readonly AddressRange[]): AddressPolicy {
  return {
    permits(text) {
      const address = parseAddress(text);
      if (!address) return false;
      const inner = embeddedIpv4(address) ?? address;
      return inRanges(address, allow) || inRanges(inner, allow) || isPublicUnicast(inner);
    },
  };
}

/** Refuses scoped addresses, and the dotted form of IPv4-compatible ones (`::127.0.0.1`), which ipaddr.js reads as mapped. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const version = isIP(text);
  if (version === 4) return new ipaddr.IPv4(text.split('.').map(Number));
  if (version === 0 || text.includes('%')) return undefined;
  if (text.includes(':') && text.includes('.') && !/^(::ffff:|64:ff9b::)[\d.]+$/i.test(text)) return undefined;
  return ipaddr.parse(text);
}

function embeddedIpv4(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (!(address instanceof ipaddr.IPv6)) return undefined;
  return address.isIPv4MappedAddress() || address.match(...(NAT64 as [ipaddr.IPv6, number]))
    ? new ipaddr.IPv4(address.toByteArray().slice(12))
    : undefined;
}

function isPublicUnicast(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || inRanges(address, [GLOBAL_UNICAST]));
}
