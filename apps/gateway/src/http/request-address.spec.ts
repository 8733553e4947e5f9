import { describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { addressesOf } from './request-address.js';

describe('X-Forwarded-For', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:5678', '203.0.113.9'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['203.0.113.9:1,  [2001:db8::1]:2 ,10.0.0.1', '203.0.113.9, 2001:db8::1, 10.0.0.1'],
    ['[::ffff:203.0.113.9]:80', '::ffff:203.0.113.9'],
    ['unknown, 1.2.3.4:x, [a, :80', 'unknown, 1.2.3.4:x, [a, :80'],
    ['', ''],
  ])('%s has the addresses %s', (given, addresses) => {
    expect(addressesOf(given)).toBe(addresses);
  });

  it('with ports gives each caller a count of its own, also behind two trusted proxies', async () => {
    await using gateway = await GatewayHarness.start({ TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8', WRONG_KEYS_PER_MINUTE: '2' });
    let port = 1000;
    const guess = async (address: string) => {
      const headers = { 'x-forwarded-for': `${address}:${port++}, 10.0.0.7:${port++}`, authorization: `Bearer wrong-key-number-${port}` };
      return (await fetch(`${gateway.url}/api/v1/account`, { headers })).status;
    };
    for (const [one, other] of [['203.0.113.9', '198.51.100.4'], ['[2001:db8:1::1]', '[2001:db8:2::1]']] as const) {
      expect([await guess(one), await guess(one), await guess(one)]).toEqual([401, 401, 429]);
      expect(await guess(other)).toBe(401);
    }
  });
});
