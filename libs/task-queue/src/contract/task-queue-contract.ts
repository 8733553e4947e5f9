import { afterEach, beforeEach, describe } from '@jest/globals';
import { describeAdding } from './adding.js';
import { describeClosing } from './closing.js';
import { describeFailing } from './failing.js';
import { describeKilling } from './killing.js';
import { describeLeasing } from './leasing.js';
import { QueueFixture } from './queue-fixture.js';
import { describeRemoving } from './removing.js';
import { describeSharing } from './sharing.js';
import { describeWaking } from './waking.js';
import type { TaskQueueUnderTest } from './task-queue-under-test.js';

/** What every adapter of TaskQueue keeps to. */
export function describeTaskQueueContract(name: string, open: () => Promise<TaskQueueUnderTest>): void {
  describe(name, () => {
    const fixture = new QueueFixture(open);
    beforeEach(() => fixture.setUp());
    afterEach(() => fixture.tearDown());

    describeAdding(fixture);
    describeSharing(fixture);
    describeWaking(fixture);
    describeFailing(fixture);
    describeRemoving(fixture);
    describeLeasing(fixture);
    describeClosing(fixture);
    describeKilling(fixture);
  });
}
