import type { Provider } from '@nestjs/common';
import { SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import type { searchConfig } from '../search.config.js';

export const SEARCH_INDEX = Symbol('SearchIndex');

/** The index that SEARCH_URL names. */
export const searchIndex: Provider = {
  provide: SEARCH_INDEX,
  useFactory: ({ config, openSearch }: ServiceContext<typeof searchConfig>) => openSearch(config.SEARCH_DIMENSIONS),
  inject: [SERVICE_CONTEXT],
};
