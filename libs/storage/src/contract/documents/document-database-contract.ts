import { afterEach, beforeEach, describe } from '@jest/globals';
import type { DatabaseUnderTest } from './database-under-test.js';
import { DatabaseFixture } from './database-fixture.js';
import { describeAccounts } from './accounts.js';
import { describeOutbox } from './outbox.js';
import { describePages } from './pages.js';
import { describeQueries } from './queries.js';
import { describeSchemas } from './schemas.js';
import { describeSealing } from './sealing.js';
import { describeUpdates } from './updates.js';
import { describeWrites } from './writes.js';

/** What every adapter of DocumentDatabase keeps to. */
export function describeDocumentDatabaseContract(name: string, open: () => Promise<DatabaseUnderTest>): void {
  describe(name, () => {
    const fixture = new DatabaseFixture(open);
    beforeEach(() => fixture.setUp());
    afterEach(() => fixture.tearDown());

    describeWrites(fixture);
    describeUpdates(fixture);
    describeQueries(fixture);
    describePages(fixture);
    describeAccounts(fixture);
    describeOutbox(fixture);
    describeSchemas(fixture);
    describeSealing(fixture);
  });
}
