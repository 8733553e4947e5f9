import { integers, list, type ConfigOf, type ConfigShape } from '@parlance/platform';
import { z } from 'zod';
import { DEFAULT_PORTS } from './address-policy.js';
import { parseCidrs } from './address-range.js';
import type { EgressOptions } from './egress.js';

/** A setting that is a list of CIDR blocks, commas between. */
export const cidrBlocks = () =>
  list().check((context) => {
    try {
      parseCidrs(context.value);
    } catch (error) {
      context.issues.push({ code: 'custom', message: (error as RangeError).message, input: context.value });
    }
  });

/** A proxy that takes CONNECT; its user and password in the URL. */
const proxyUrl = () =>
  z.string().refine((value) => isHttpOrigin(URL.parse(value)), 'must be the address of an HTTP proxy, like http://user:password@proxy.example.org:3128');

const isHttpOrigin = (url: URL | null): boolean =>
  (url?.protocol === 'http:' || url?.protocol === 'https:') && url.pathname === '/' && url.search === '' && url.hash === '';

/** The settings of every service that connects to addresses of its callers. */
export const egressConfig = {
  EGRESS_ALLOW: cidrBlocks()
    .default([])
    .describe('CIDR blocks of private addresses that media downloads and webhooks may reach, on any port, comma-separated. Empty: public addresses only.'),
  EGRESS_DENY: cidrBlocks()
    .default([])
    .describe('CIDR blocks that media downloads and webhooks never reach, even when EGRESS_ALLOW contains them, comma-separated; for instance public addresses that your network translates to its own servers'),
  EGRESS_PORTS: integers(1, 65_535).default([...DEFAULT_PORTS]).describe('Ports of public addresses that media downloads and webhooks may reach, comma-separated'),
  EGRESS_PROXY: proxyUrl()
    .optional()
    .describe('HTTP proxy that media downloads and webhooks use by CONNECT: http://user:password@host:3128; best as EGRESS_PROXY_FILE. Targets are resolved and checked first'),
  EGRESS_PROXY_TARGET: z
    .enum(['address', 'name'])
    .default('address')
    .describe('What CONNECT contains: the address that was checked, or the host name, for proxies that filter by name; such a proxy resolves the name again by itself'),
} satisfies ConfigShape;

export const egressOptions = (config: ConfigOf<typeof egressConfig>): EgressOptions => ({
  allow: config.EGRESS_ALLOW,
  deny: config.EGRESS_DENY,
  ports: config.EGRESS_PORTS,
  proxy: config.EGRESS_PROXY === undefined ? undefined : { url: config.EGRESS_PROXY, target: config.EGRESS_PROXY_TARGET },
});
