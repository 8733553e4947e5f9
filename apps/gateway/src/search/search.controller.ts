import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { search } from '@parlance/contracts';
import { callUnary } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callContext } from '../http/call-context.js';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { callerOf } from '../keys/key-guard.js';
import { SEARCH_CLIENT } from '../tokens.js';
import { filtersMessage, modeMessage, pageJson } from './search-json.js';
import { searchTranscripts } from './search-operations.js';

@Controller()
export class SearchController {
  constructor(@Inject(SEARCH_CLIENT) private readonly client: search.SearchServiceClient) {}

  @Serves(searchTranscripts)
  async search(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { query } = await readInput(searchTranscripts, request);
    const { accountId } = callerOf(request);
    const asked = { accountId, text: query.q, mode: modeMessage(query.mode), filters: filtersMessage(query), limit: query.limit, cursor: query.cursor };
    const page = await callUnary(this.client, this.client.search, asked, callContext(request));
    void reply.header('cache-control', 'private, no-store').send(pageJson(page));
  }
}
