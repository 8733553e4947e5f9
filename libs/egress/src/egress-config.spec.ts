import { expect, it, test } from '@jest/globals';
import { ConfigError, readConfig } from '@parlance/platform';
import { egressConfig } from './egress-config.js';

const read = (value?: string) => readConfig(egressConfig, { env: { EGRESS_ALLOW: value }, readFile: () => '' }).EGRESS_ALLOW;

it('allows nothing private unless told', () => expect(read()).toEqual([]));
it('reads blocks and bare addresses', () => expect(read('10.0.0.0/8, fd00::/8,127.0.0.1')).toEqual(['10.0.0.0/8', 'fd00::/8', '127.0.0.1']));

test.each([
  ['10.0.0.0/33', 'EGRESS_ALLOW: "10.0.0.0/33" has a prefix that is not between 0 and 32'],
  ['10.1.2.3/8', 'EGRESS_ALLOW: "10.1.2.3/8" has bits set after its prefix; write 10.0.0.0/8 or 10.1.2.3/32'],
  ['10.0.0.0/8 fd00::/8', 'is not a CIDR block'],
  ['intranet', '"intranet" is not a CIDR block'],
  ['10.1/16', '"10.1/16" is not a CIDR block'],
  ['10.0.0.0/', 'has a prefix that is not between 0 and 32'],
  ['::ffff:10.0.0.0/104', 'write it as IPv4'],
])('stops the start at %s with one clear line', (value, line) => {
  expect(() => read(value)).toThrow(ConfigError);
  expect(() => read(value)).toThrow(line);
});
