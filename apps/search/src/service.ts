import { accountData, search } from '@parlance/contracts';
import { serve, type ServiceManifest } from '@parlance/runtime';
import type { SearchIndex } from '@parlance/search-index';
import { AccountDataController } from './grpc/account-data.controller.js';
import { ChatController } from './grpc/chat.controller.js';
import { SearchController } from './grpc/search.controller.js';
import { searchConfig } from './search.config.js';
import { SearchConsumers } from './search.consumers.js';
import { SearchModule } from './search.module.js';
import { SEARCH_INDEX } from './searching/search-index.provider.js';

/** Makes transcripts searchable, by words and by meaning. */
export const manifest: ServiceManifest<typeof searchConfig> = {
  name: 'search',
  config: searchConfig,
  module: () => SearchModule,
  serves: (app) => [serve(search.SearchServiceDefinition, app.get(SearchController), app.get(ChatController)), serve(accountData.AccountDataServiceDefinition, app.get(AccountDataController))],
  consumers: (app) => app.get(SearchConsumers).consumers(),
  workers: (app) => app.get(SearchConsumers).workers(),
  health: (app) => [{ name: 'search_index', check: () => app.get<SearchIndex>(SEARCH_INDEX).check() }],
};
