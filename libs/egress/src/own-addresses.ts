import { networkInterfaces } from 'node:os';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An interface that comes later (a VPN, a new IPv6 prefix) is noticed within this time. */
const REFRESH_MS = 60_000;

export interface OwnAddressesOptions {
  /** Every address of this host, as the system names them. Default: those of its network interfaces. */
  read?: () => string[];
  /** Milliseconds of a clock that only goes forward. */
  now?: () => number;
}

/** Addresses of this host's interfaces. A service that binds 0.0.0.0 answers on them, behind every firewall. */
export class OwnAddresses {
  private addresses: ReadonlySet<string> = new Set();
  private readAt = Number.NEGATIVE_INFINITY;
  private readonly read: () => string[];
  private readonly now: () => number;

  constructor({ read = interfaceAddresses, now = () => performance.now() }: OwnAddressesOptions = {}) {
    this.read = read;
    this.now = now;
  }

  /** @param address in the spelling of ipaddr.js. */
  includes(address: string): boolean {
    if (this.now() - this.readAt >= REFRESH_MS) {
      this.addresses = new Set(this.read().flatMap(normalized));
      this.readAt = this.now();
    }
    return this.addresses.has(address);
  }
}

const interfaceAddresses = (): string[] => Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));

function normalized(address: string): string[] {
  const [plain = ''] = address.split('%');
  return isIP(plain) === 0 ? [] : [ipaddr.process(plain).toString()];
}
