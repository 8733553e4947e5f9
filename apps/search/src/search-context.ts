import type { ServiceContext } from '@parlance/runtime';
import type { searchConfig } from './search-config.js';

export type SearchContext = ServiceContext<typeof searchConfig>;
