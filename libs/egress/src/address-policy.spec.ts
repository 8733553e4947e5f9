import { describe, expect, it, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createAddressPolicy, type AddressPolicy } from './address-policy.js';
import { parseCidrs } from './address-range.js';
import { OwnAddresses } from './own-addresses.js';

const publicOnly = createAddressPolicy();
const permits = (policy: AddressPolicy, address: string, port = 443) => policy.judge(address, port) === 'permitted';
const dotted = (n: number) => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255].join('.');
const hexGroups = (n: number) => `${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}`;
const inBlock = (network: number, prefix: number) =>
  fc.integer({ min: 0, max: 2 ** (32 - prefix) - 1 }).map((host) => (network + host) >>> 0);

const PRIVATE_BLOCKS: [number, number][] = [
  [0x00000000, 8], // this network
  [0x0a000000, 8],
  [0x64400000, 10], // carrier-grade NAT
  [0x7f000000, 8],
  [0xa9fe0000, 16], // link-local, metadata
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0000200, 24], // documentation
  [0xc0a80000, 16],
  [0xc6120000, 15], // benchmarking
  [0xe0000000, 4], // multicast
  [0xf0000000, 4], // reserved, broadcast
];
const privateIpv4 = fc.oneof(...PRIVATE_BLOCKS.map(([network, prefix]) => inBlock(network, prefix)));

describe('the address policy', () => {
  test.each(['8.8.8.8', '1.1.1.1', '93.184.215.14', '2606:4700::1111', '2a00:1450:4001::1', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])(
    'permits the public address %s',
    (address) => expect(permits(publicOnly, address)).toBe(true),
  );

  test.each([
    '127.0.0.1', '169.254.169.254', '100.100.100.200', '0.0.0.0', '255.255.255.255',
    '::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd00:ec2::254', 'fec0::1', 'ff02::1', '2001:db8::1', '4000::1',
    '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:0:127.0.0.1', '::127.0.0.1', '::8.8.8.8', '64:ff9b::169.254.169.254', '64:ff9b:1::a00:1',
    '2002:7f00:1::', '2002:808:808::', '2001::1', '100::1', '5f00::1',
    '168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::168.63.129.16', '161.26.0.10', '166.9.1.1', '192.0.0.192', 'fd20:ce::254',
    '', 'localhost', '127.1', '0x7f000001', '2130706433', '127.0.0.1/8',
  ])('refuses %s', (address) => expect(permits(publicOnly, address)).toBe(false));

  it('refuses a private IPv4 address in every form that carries it', () => {
    fc.assert(
      fc.property(privateIpv4, (n) => {
        for (const form of [
          dotted(n),
          `::ffff:${dotted(n)}`,
          `::ffff:${hexGroups(n)}`,
          `::${hexGroups(n)}`,
          `64:ff9b::${dotted(n)}`,
          `64:ff9b::${hexGroups(n)}`,
          `64:ff9b:1::${hexGroups(n)}`,
          `2002:${hexGroups(n)}::1`,
          `2001:0:${hexGroups(n)}::1`,
        ]) {
          expect({ form, permitted: permits(publicOnly, form) }).toEqual({ form, permitted: false });
        }
      }),
    );
  });

  it('permits no IPv6 address outside 2000::/3, those that carry a public IPv4 address aside', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const specialFirst = group.filter((n) => n >> 13 !== 1 && n !== 0 && n !== 0x64);
    fc.assert(
      fc.property(specialFirst, fc.array(group, { minLength: 7, maxLength: 7 }), (first, rest) => {
        expect(permits(publicOnly, [first, ...rest].map((n) => n.toString(16)).join(':'))).toBe(false);
      }),
    );
  });

  it('permits exactly the allowed blocks besides, in mapped form as well', () => {
    const policy = createAddressPolicy({ allow: parseCidrs(['10.1.0.0/16', 'fd12::/16', '192.168.1.5']) });
    expect(['10.1.2.3', '::ffff:10.1.2.3', 'fd12:3::4', '192.168.1.5'].map((a) => permits(policy, a))).toEqual([true, true, true, true]);
    expect(['10.2.0.1', '192.168.1.6', 'fd13::1', '127.0.0.1', '::1'].map((a) => permits(policy, a))).toEqual([false, false, false, false, false]);
  });

  it('refuses what is denied, also where it is allowed or public', () => {
    const policy = createAddressPolicy({ allow: parseCidrs(['10.0.0.0/8']), deny: parseCidrs(['10.0.0.1', '93.184.215.0/24']) });
    expect(['10.0.0.2', '10.0.0.1', '::ffff:10.0.0.1', '93.184.215.14', '64:ff9b::93.184.215.14'].map((a) => permits(policy, a))).toEqual([true, false, false, false, false]);
  });

  it('permits a cloud-internal address only when it is allowed by name', () => {
    expect(permits(createAddressPolicy({ allow: parseCidrs(['168.63.129.16']) }), '168.63.129.16', 32526)).toBe(true);
  });

  it('permits the given ports of public addresses, and every port of allowed ones', () => {
    const policy = createAddressPolicy({ allow: parseCidrs(['127.0.0.0/8']), ports: [443, 9000] });
    expect([443, 9000, 80, 22].map((port) => policy.judge('8.8.8.8', port))).toEqual(['permitted', 'permitted', 'port', 'port']);
    expect([443, 22, 40_123].map((port) => policy.judge('127.0.0.1', port))).toEqual(['permitted', 'permitted', 'permitted']);
    // An address says more than a port: nothing is learnt about the ports of a private network.
    expect([443, 22].map((port) => policy.judge('10.0.0.1', port))).toEqual(['address', 'address']);
  });

  it('refuses the addresses of this host in every form, and notices new ones after a minute', () => {
    let interfaces = ['11.22.33.44', 'fe80::1%eth0', '2a00:1450:4001:0:0:0:0:99'];
    let now = 0;
    const own = new OwnAddresses({ read: () => interfaces, now: () => now });
    const policy = createAddressPolicy({ isOwn: (address) => own.includes(address) });
    const judged = () => ['11.22.33.44', '::ffff:11.22.33.44', '64:ff9b::11.22.33.44', '2a00:1450:4001::99', '11.22.33.45'].map((a) => permits(policy, a));
    expect(judged()).toEqual([false, false, false, false, true]);
    interfaces = ['11.22.33.45'];
    now = 59_999;
    expect(judged()).toEqual([false, false, false, false, true]);
    now = 60_000;
    expect(judged()).toEqual([true, true, true, true, false]);
    const allowed = createAddressPolicy({ allow: parseCidrs(['11.22.33.45']), isOwn: (address) => own.includes(address) });
    expect(permits(allowed, '11.22.33.45', 9000)).toBe(true);
  });
});
