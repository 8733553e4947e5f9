import { afterEach, beforeEach, describe } from '@jest/globals';
import { BusFixture } from './bus-fixture.js';
import type { EventBusUnderTest } from './event-bus-under-test.js';
import { describeClosing } from './closing.js';
import { describeDeadLetters } from './dead-letters.js';
import { describeErasing } from './erasing.js';
import { describeFailures } from './failures.js';
import { describeFollowing } from './following.js';
import { describeGroups } from './groups.js';
import { describeOrder } from './order.js';

/** What every adapter of EventBus keeps to. */
export function describeEventBusContract(name: string, open: () => Promise<EventBusUnderTest>): void {
  describe(name, () => {
    const fixture = new BusFixture(open);
    beforeEach(() => fixture.setUp());
    afterEach(() => fixture.tearDown());

    describeGroups(fixture);
    describeOrder(fixture);
    describeFailures(fixture);
    describeDeadLetters(fixture);
    describeErasing(fixture);
    describeFollowing(fixture);
    describeClosing(fixture);
  });
}
