import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { inRanges, parseCidrs, type AddressRange } from './address-range.js';

/** Why a connection may not be made: the address is not public or is denied, or the port is not among those allowed. */
export type Verdict = 'permitted' | 'address' | 'port';

/** Decides which IP addresses and ports this product may connect to on behalf of a caller. */
export interface AddressPolicy {
  /** @param address an IP address in text; anything else is not permitted. */
  judge(address: string, port: number): Verdict;
  /** True when any address at all may be reached on the port. */
  usesPort(port: number): boolean;
}

interface AddressPolicyOptions {
  /** Permitted although not public, on any port: `EGRESS_ALLOW`. */
  allow?: readonly AddressRange[];
  /** Refused even where `allow` permits them: `EGRESS_DENY`. */
  deny?: readonly AddressRange[];
  /** Ports of public addresses: `EGRESS_PORTS`. */
  ports?: readonly number[];
  /** True when the address belongs to one of this host's interfaces. */
  isOwn?: (address: string) => boolean;
}

/** Ports of public addresses that may be reached unless EGRESS_PORTS names others. */
export const DEFAULT_PORTS: readonly number[] = [80, 443, 8080, 8443];

/** The unicast space that IANA gives out; everything outside it is for special use (RFC 4291, section 2.4). */
const GLOBAL_UNICAST: AddressRange = [ipaddr.IPv6.parse('2000::'), 3];
/** NAT64 (RFC 6052): how an IPv6-only host reaches IPv4 servers, so it is as good as the address inside it. */
const NAT64: AddressRange = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/**
 * Public unicast by its range, but answered inside a cloud by the provider's own services: Azure's WireServer (certificates and
 * extension settings of the machine), IBM Cloud's infrastructure and service endpoints. The metadata addresses of the other
 * providers (169.254.0.0/16, 100.100.100.200, 192.0.0.192, fd00:ec2::254, fd20:ce::254) are special-use ranges already.
 */
const CLOUD_INTERNAL = parseCidrs(['168.63.129.16', '161.26.0.0/16', '166.8.0.0/14']);

/**
 * Permits public unicast addresses (IANA special-purpose registries, RFC 6890) on the given ports, and what the operator allows
 * on any port. Cloud-internal addresses and this host's own are not public. IPv4-mapped and NAT64 addresses are judged by the
 * IPv4 address inside; 6to4 and Teredo are never public.
 */
export function createAddressPolicy({ allow = [], deny = [], ports = DEFAULT_PORTS, isOwn = () => false }: AddressPolicyOptions = {}): AddressPolicy {
  const isPublic = (address: IpAddress) => isPublicUnicast(address) && !inRanges(address, CLOUD_INTERNAL) && !isOwn(address.toString());
  return {
    judge(text, port) {
      const address = parseAddress(text);
      if (!address) return 'address';
      const inner = embeddedIpv4(address) ?? address;
      const isIn = (ranges: readonly AddressRange[]) => inRanges(address, ranges) || inRanges(inner, ranges);
      if (isIn(deny)) return 'address';
      if (isIn(allow)) return 'permitted';
      if (!isPublic(inner)) return 'address';
      return ports.includes(port) ? 'permitted' : 'port';
    },
    usesPort: (port) => allow.length > 0 || ports.includes(port),
  };
}

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** Refuses scoped addresses, and the dotted form of IPv4-compatible ones (`::127.0.0.1`), which ipaddr.js reads as mapped. */
function parseAddress(text: string): IpAddress | undefined {
  const version = isIP(text);
  if (version === 4) return new ipaddr.IPv4(text.split('.').map(Number));
  if (version === 0 || text.includes('%')) return undefined;
  if (text.includes(':') && text.includes('.') && !/^(::ffff:|64:ff9b::)[\d.]+$/i.test(text)) return undefined;
  return ipaddr.parse(text);
}

function embeddedIpv4(address: IpAddress): ipaddr.IPv4 | undefined {
  if (!(address instanceof ipaddr.IPv6)) return undefined;
  return address.isIPv4MappedAddress() || address.match(...(NAT64 as [ipaddr.IPv6, number]))
    ? new ipaddr.IPv4(address.toByteArray().slice(12))
    : undefined;
}

function isPublicUnicast(address: IpAddress): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || inRanges(address, [GLOBAL_UNICAST]));
}
