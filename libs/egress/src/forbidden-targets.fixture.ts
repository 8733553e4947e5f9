/** Targets that a caller may try in tests. None of them may lead to a connection. */

const METADATA = '169.254.169.254';

/** IPv4 addresses that are not public, or answer inside a cloud. */
const FORBIDDEN_IPV4 = [
  '127.0.0.1', '127.255.255.254', '0.0.0.0', '10.0.0.1', '10.255.255.254', '172.16.0.1', '172.31.255.254', '192.168.0.1', '192.168.255.254',
  METADATA, '169.254.170.2', '169.254.0.23', '100.64.0.1', '100.100.100.200', '168.63.129.16', '161.26.0.10', '166.9.0.1',
  '192.0.0.192', '192.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1',
  '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255',
] as const;

/** IPv6 addresses that are not public, or carry an IPv4 address that is not. */
const FORBIDDEN_IPV6 = [
  '::', '::1', 'fe80::1', 'fe80::a9fe:a9fe', 'fec0::1', 'fc00::1', 'fd00:ec2::254', 'fd20:ce::254', 'ff02::1',
  '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::ffff:168.63.129.16', '::ffff:0:127.0.0.1', '::127.0.0.1', '::7f00:1',
  '64:ff9b::a9fe:a9fe', '64:ff9b::10.0.0.1', '64:ff9b::a83f:8110', '64:ff9b:1::a00:1', '2002:7f00:1::1', '2002:a9fe:a9fe::1', '2001:0:7f00:1::1',
  '2001:db8::1', '3fff::1', '2001:20::1', '2001:2::1', '100::1', '5f00::1', '2001:4:112::1', '4000::1',
] as const;

/** Other notations, which URL parsers and resolvers turn into the addresses above. */
const NOTATIONS = [
  '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '127.1', '127.0.1', '0', '0x0', '127.0.0.1.', '017700000001',
  '2852039166', '0xa9fea9fe', '0xa9.254.0251.254', '0251.0376.0251.0376', '169.16689662', '２８５２０３９１６６', '１６９.２５４.１６９.２５４', '①⑥⑨.②⑤④.①⑥⑨.②⑤④', '169。254。169。254', '169．254｡169．254',
  '2822734096', '0xa83f8110', '168.63.33040', '0250.077.0201.020', '168.63.129.16.', '167772161', '0x0a000001', '10.1', '3232235521',
  'localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'deep.a.localhost.',
  '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::FFFF:127.0.0.1]', '[0:0:0:0:0:ffff:7f00:1]', '[::1%25lo]', '[fe80::1%25eth0]',
] as const;

/** URLs that only look as if they led elsewhere, or are no URLs of the web. */
const DISGUISES = [
  'http://8.8.8.8@127.0.0.1/', 'http://user:pass@169.254.169.254/', 'http://127.0.0.1:80@8.8.8.8/', 'http://%31@10.0.0.1/',
  'http:\\\\127.0.0.1\\', 'http:127.0.0.1', 'http:/127.0.0.1', 'http://127.0.0.1\t/', '\nhttp://127.0.0.1/', 'http://127.0.0.1#@8.8.8.8/', 'http://127.0.0.1?@8.8.8.8/',
  'http://8.8.8.8:0/', 'http://8.8.8.8:65536/', 'http://8.8.8.8:22/', 'http://8.8.8.8:25/', 'http://8.8.8.8:6379/', 'https://8.8.8.8:2375/', 'http://[2606:4700::1111]:22/',
  'file:///etc/passwd', 'gopher://127.0.0.1:6379/_INFO', 'data:audio/wav;base64,AAAA', 'concat:http://127.0.0.1/', 'subfile:,,:http://127.0.0.1/', 'http+unix://%2Fvar%2Frun%2Fdocker.sock/', 'ftp://127.0.0.1/', 'ws://127.0.0.1/',
] as const;

/** This host's public address in the tests' network. */
export const OWN_ADDRESS = '11.22.33.44';

export const FORBIDDEN_URLS: readonly string[] = [
  ...FORBIDDEN_IPV4.map((address) => `http://${address}/`),
  ...FORBIDDEN_IPV6.map((address) => `http://[${address}]/`),
  ...NOTATIONS.map((host) => `https://${host}/latest/meta-data/`),
  ...DISGUISES,
];

/** Name → its addresses, look-up by look-up. The last answer is repeated. */
export const FORBIDDEN_NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ...Object.fromEntries(FORBIDDEN_IPV4.map((address, nth) => [`a${nth}.example`, [[address]]])),
  ...Object.fromEntries(FORBIDDEN_IPV6.map((address, nth) => [`aaaa${nth}.example`, [[address]]])),
  'both-families.example': [['127.0.0.1', '::1']],
  'many.example': [['10.0.0.1', '169.254.169.254', 'fd00:ec2::254', '::ffff:127.0.0.1']],
  'changes-to-metadata.example': [['10.0.0.1'], [METADATA]],
  'changes-to-loopback.example': [['192.168.0.1'], ['127.0.0.1'], ['::1']],
  'scoped.example': [['fe80::1%lo']],
  'no-address.example': [[]],
};

/** As webhook receivers: by literal, by name, and on a port of a public address. */
export const FORBIDDEN_RECEIVERS: readonly string[] = [
  'http://127.0.0.1/hook', 'http://localhost/hook', 'http://[::1]/hook', 'http://2130706433/hook', 'http://169.254.169.254/latest/', 'http://168.63.129.16/machine?comp=goalstate',
  'http://100.100.100.200/latest/', 'http://192.0.0.192/latest/', 'http://[fd00:ec2::254]/latest/', 'http://10.0.0.1/hook', 'http://192.168.0.1/hook', 'http://[64:ff9b::a9fe:a9fe]/',
  'http://a0.example/hook', 'http://both-families.example/hook', 'http://changes-to-metadata.example/hook', 'http://8.8.8.8:25/hook', 'http://8.8.8.8:6379/hook',
];
