import type { Provider } from '@nestjs/common';
import { createEgress, egressOptions } from '@parlance/egress';
import { CONFIG } from '@parlance/runtime';

export const EGRESS = Symbol('Egress');

/** Checks the addresses that callers name. */
export const egress: Provider = {
  provide: EGRESS,
  useFactory: (config: Parameters<typeof egressOptions>[0]) => createEgress(egressOptions(config)),
  inject: [CONFIG],
};
