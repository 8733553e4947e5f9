import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** True when the host is this machine's loopback, so that only its own processes are reachable there. @param host an address, in brackets or not, or a name */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '').toLowerCase();
  const family = isIP(plain);
  return family === 0 ? plain === 'localhost' || plain.endsWith('.localhost') : LOOPBACK.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}
