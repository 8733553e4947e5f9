import { list, type ConfigShape } from '@parlance/platform';
import { parseCidrs } from './address-range.js';

/** A setting that is a list of CIDR blocks, commas between. */
export const cidrBlocks = () =>
  list().check((context) => {
    try {
      parseCidrs(context.value);
    } catch (error) {
      context.issues.push({ code: 'custom', message: (error as RangeError).message, input: context.value });
    }
  });

/** The settings of every service that connects to addresses of its callers. */
export const egressConfig = {
  EGRESS_ALLOW: cidrBlocks()
    .default([])
    .describe('CIDR blocks of private addresses that media fetches and webhooks may reach, commas between. Empty: public addresses only.'),
} satisfies ConfigShape;
