import { afterEach, beforeEach, describe } from '@jest/globals';
import type { EventBus } from '../event-bus.js';
import { BusFixture } from './bus-fixture.js';
import { describeClosing } from './closing.js';
import { describeDeadLetters } from './dead-letters.js';
import { describeFailures } from './failures.js';
import { describeFollowing } from './following.js';
import { describeGroups } from './groups.js';
import { describeOrder } from './order.js';

/** An adapter on a log of its own; a handler's grace after its signal is a few hundred milliseconds at most. */
export interface EventBusUnderTest<B extends EventBus = EventBus> {
  bus: B;
  /** One more bus on the same log, as another process has it. */
  connect(): Promise<B>;
  /** Removes the log; every bus is closed by then. */
  dispose(): Promise<void>;
}

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
    describeFollowing(fixture);
    describeClosing(fixture);
  });
}
