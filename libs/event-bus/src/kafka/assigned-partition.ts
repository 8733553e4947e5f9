import { AppError, type Tries } from '@parlance/platform';
import { KeyLanes } from '../delivery/key-lanes.js';
import type { EventAttributes, IncomingRecord } from './cloud-event-record.js';
import { PartitionProgress } from './partition-progress.js';

/** A record that waits for its handler, or that it runs on. */
export interface Entry extends Tries {
  offset: number;
  /** The key of its lane. */
  key: string;
  /** Undefined when it is not a CloudEvent. */
  attributes: EventAttributes | undefined;
  record: IncomingRecord;
}

/** A partition for as long as it is assigned to this member: its records in lanes, a lane for each key. */
export class AssignedPartition {
  readonly lanes = new KeyLanes<Entry>();
  readonly progress = new PartitionProgress();
  /** The watermark that the broker has. */
  committed: number | undefined;
  private readonly taken = new AbortController();
  private readonly timers = new Set<NodeJS.Timeout>();
  private roomWaiters: (() => void)[] = [];
  private idleWaiters: (() => void)[] = [];
  /** Handlers. */
  private running = 0;
  private held = 0;
  private open = false;

  /**
   * @param window records to hold at most, but for the rest of a batch
   * @param after when the handlers that ran on this partition before it went and came back have ended
   */
  constructor(
    readonly id: number,
    private readonly window: () => number,
    after: Promise<void>,
    onOpen: () => void,
  ) {
    void after.then(() => {
      this.open = true;
      onOpen();
    });
  }

  /** Aborted when the partition goes to another member or the subscription closes. */
  get signal(): AbortSignal {
    return this.taken.signal;
  }

  get hasReady(): boolean {
    return this.open && !this.signal.aborted && this.lanes.peek() !== undefined;
  }

  get hasRoom(): boolean {
    return this.held < this.window();
  }

  hold(entry: Entry): void {
    this.held += 1;
    this.lanes.add(entry.key, entry);
  }

  /** The group has finished the entry. */
  release({ offset, key }: Entry): void {
    this.held -= 1;
    this.progress.finish(offset);
    this.lanes.finish(key);
    if (this.held * 2 <= this.window()) for (const waiter of this.roomWaiters.splice(0)) waiter();
  }

  /** Calls back once when there is room for half a window, or when the partition is taken away. */
  whenRoom(act: () => void): void {
    this.roomWaiters.push(act);
  }

  /** A handler begins. */
  begin(): void {
    this.running += 1;
  }

  /** A handler has ended. */
  end(): void {
    this.running -= 1;
    if (this.running === 0) for (const waiter of this.idleWaiters.splice(0)) waiter();
  }

  /** Unless the partition is taken away before. */
  after(milliseconds: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, milliseconds);
    this.timers.add(timer);
  }

  /** Aborts what runs. */
  takeAway(why: 'the partition moved' | 'the subscription closes'): void {
    const code = why === 'the subscription closes' ? 'subscription_closed' : 'partition_moved';
    this.taken.abort(new AppError({ kind: 'canceled', code, message: `Stopped, as ${why}.` }));
    this.timers.forEach((timer) => clearTimeout(timer));
    for (const waiter of this.roomWaiters.splice(0)) waiter();
  }

  /** Resolves when nothing runs on it any longer. */
  async idle(): Promise<void> {
    if (this.running > 0) await new Promise<void>((resolve) => this.idleWaiters.push(resolve));
  }
}
