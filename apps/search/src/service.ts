import { search } from '@parlance/contracts';
import type { ServiceManifest } from '@parlance/runtime';
import type { SearchIndex } from '@parlance/search-index';
import { searchConfig } from './search-config.js';
import { searchConsumers, searchFollowers } from './search-consumers.js';
import type { SearchParts } from './search-parts.js';
import { SearchModule } from './search.module.js';
import { PARTS, SEARCH_INDEX } from './tokens.js';

/** Makes transcripts searchable, by words and by meaning. */
export const manifest: ServiceManifest<typeof searchConfig> = {
  name: 'search',
  config: searchConfig,
  module: (context) => SearchModule.from(context),
  grpc: { 'parlance.search.v1.SearchService': search.SearchServiceService },
  consumers: (app) => searchConsumers(app.get<SearchParts>(PARTS)),
  followers: (app) => searchFollowers(app.get<SearchParts>(PARTS)),
  health: (app) => [{ name: 'search_index', check: () => app.get<SearchIndex>(SEARCH_INDEX).check() }],
};
