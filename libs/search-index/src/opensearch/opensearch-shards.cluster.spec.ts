import { afterEach, beforeEach, describe } from '@jest/globals';
import { GuardedServer } from '../../test/guarded-server.js';
import { OpenSearchPlayground } from '../../test/opensearch-playground.js';
import { describeModes } from '../contract/modes.js';
import { describePages } from '../contract/pages.js';
import { SearchFixture } from '../contract/search-fixture.js';
import { CONTRACT_DIMENSIONS, type SearchIndexUnderTest } from '../contract/search-index-under-test.js';

/** The parts of the contract in which ranks are fused, where the server cannot do it. */
function describeFusion(open: () => Promise<SearchIndexUnderTest>): void {
  const fixture = new SearchFixture(open);
  beforeEach(() => fixture.setUp());
  afterEach(() => fixture.tearDown());
  describeModes(fixture);
  describePages(fixture);
}

describe('OpenSearchSearchIndex of several shards', () => {
  describeFusion(() => OpenSearchPlayground.create({ dimensions: CONTRACT_DIMENSIONS, shards: 3 }));
});

describe('OpenSearchSearchIndex on a server without the processor', () => {
  describeFusion(async () => {
    const playground = await OpenSearchPlayground.create({ dimensions: CONTRACT_DIMENSIONS });
    // As OpenSearch 2.18 answers.
    const unknown = { type: 'illegal_argument_exception', reason: 'Invalid processor type score-ranker-processor' };
    const guard = await GuardedServer.create({
      instead: (_, body) => (body.includes('score-ranker-processor') ? { status: 400, body: { error: { ...unknown, root_cause: [unknown] }, status: 400 } } : undefined),
    });
    const index = playground.connectThrough(`http://${guard.host}`);
    return {
      index,
      settle: () => playground.settle(),
      reopen: () => playground.reopen(),
      dispose: async () => {
        await index.close();
        await guard.dispose();
        await playground.dispose();
      },
    };
  });
});
