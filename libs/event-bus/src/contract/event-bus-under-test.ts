import type { ClosingTimes } from '../delivery/group-member.js';
import type { EventBus } from '../event-bus.js';

/** An adapter on a log of its own; a handler's grace after its signal is a few hundred milliseconds at most. */
export interface EventBusUnderTest<B extends EventBus = EventBus> {
  bus: B;
  /** One more bus on the same log, as another process has it. */
  connect(times?: Pick<ClosingTimes, 'drainMs'>): Promise<B>;
  /** Removes the log; every bus is closed by then. */
  dispose(): Promise<void>;
}
