import { Controller, Inject, Module, Res } from '@nestjs/common';
import type { SearchService } from '@parlance/contracts';
import { SEARCH_SERVICE } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import { nameResources } from '../audit/audit-requests.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { listedProject } from '../keys/project-boundary.js';
import { filtersMessage, modeMessage, pageJson } from './search-json.js';
import { searchTranscripts } from './search-operations.js';

@Controller()
class SearchController {
  constructor(@Inject(SEARCH_SERVICE) private readonly searchService: SearchService) {}

  @Serves(searchTranscripts)
  async search(@Input() { query }: InputOf<typeof searchTranscripts>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const asked = { accountId: caller.accountId, text: query.q, mode: modeMessage(query.mode), filters: filtersMessage(query, listedProject(caller, query.project_id)), limit: query.limit, cursor: query.cursor };
    const page = await this.searchService.search(asked);
    nameResources(reply.request, page.hits.map(({ jobId }) => jobId));
    void reply.header('cache-control', 'private, no-store').send(pageJson(page));
  }
}

@Module({ controllers: [SearchController] })
export class SearchModule {}
