import { afterEach, beforeEach, describe } from '@jest/globals';
import { MediaFixture } from './media-fixture.js';
import type { MediaStoreUnderTest } from './media-store-under-test.js';
import { describeFailedPuts } from './failed-puts.js';
import { describeListing } from './listing.js';
import { describePartials } from './partials.js';
import { describeObjects } from './objects.js';

/** What every adapter of MediaStore keeps to. */
export function describeMediaStoreContract(name: string, open: () => Promise<MediaStoreUnderTest>): void {
  describe(name, () => {
    const fixture = new MediaFixture(open);
    beforeEach(() => fixture.setUp());
    afterEach(() => fixture.tearDown());

    describeObjects(fixture);
    describeFailedPuts(fixture);
    describeListing(fixture);
    describePartials(fixture);
  });
}
