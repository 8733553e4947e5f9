import { afterEach, beforeEach, describe } from '@jest/globals';
import { describeAccounts } from './accounts.js';
import { describeFilters } from './filters.js';
import { describeModes } from './modes.js';
import { describePages } from './pages.js';
import { SearchFixture } from './search-fixture.js';
import type { SearchIndexUnderTest } from './search-index-under-test.js';
import { describeVersions } from './versions.js';
import { describeWords } from './words.js';

/** What every adapter of SearchIndex keeps to. */
export function describeSearchIndexContract(name: string, open: () => Promise<SearchIndexUnderTest>): void {
  describe(name, () => {
    const fixture = new SearchFixture(open);
    beforeEach(() => fixture.setUp());
    afterEach(() => fixture.tearDown());

    describeVersions(fixture);
    describeWords(fixture);
    describeModes(fixture);
    describeFilters(fixture);
    describePages(fixture);
    describeAccounts(fixture);
  });
}
