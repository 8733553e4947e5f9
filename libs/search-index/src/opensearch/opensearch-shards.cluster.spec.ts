import { afterEach, beforeEach, describe } from '@jest/globals';
import { OpenSearchPlayground } from '../../test/opensearch-playground.js';
import { describeModes } from '../contract/modes.js';
import { describePages } from '../contract/pages.js';
import { SearchFixture } from '../contract/search-fixture.js';
import { CONTRACT_DIMENSIONS, type SearchIndexUnderTest } from '../contract/search-index-under-test.js';

/** The parts of the contract whose ranks depend on how rare words are in the whole index. */
function describeRanks(open: () => Promise<SearchIndexUnderTest>): void {
  const fixture = new SearchFixture(open);
  beforeEach(() => fixture.setUp());
  afterEach(() => fixture.tearDown());
  describeModes(fixture);
  describePages(fixture);
}

describe('OpenSearchSearchIndex of several shards', () => {
  describeRanks(() => OpenSearchPlayground.create({ dimensions: CONTRACT_DIMENSIONS, shards: 3 }));
});
