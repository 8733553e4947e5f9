import type { Shares } from './due-line.js';
import { shareholdersOf } from './receiver-id.js';

/** One account, or one origin over all accounts, has at most this part of the turns: when it hangs, the rest is left to others. */
const SHARE = 1 / 4;
/** So that an account's one hanging receiver never holds up its others. */
const LEAST_OF_ACCOUNT = 2;
/** A turn that waits takes a socket or two and little else: so many may wait, far more than receivers hang at once. */
const SLOW_LIMIT = 4_096;
const SLOW_AFTER_MS = 500;

export interface FairTurnsOptions {
  /** Turns at once, beside those that are slow. */
  limit: number;
  /** Turns at once, with those that are slow. */
  slowLimit?: number;
  /** A turn that takes longer leaves its place to others, and goes on beside them. */
  slowAfterMs?: number;
  /** There is room again: a turn has ended, or has become slow. */
  onRoom?: () => void;
}

/** The turns that run, under one bound for all of them and one for each account and each origin. */
export class FairTurns implements Shares {
  private readonly running = new Set<Promise<void>>();
  private readonly quick: Count;
  private readonly all: Count;
  private readonly options: Pick<Required<FairTurnsOptions>, 'slowAfterMs' | 'onRoom'>;

  constructor({ limit, slowLimit = SLOW_LIMIT, slowAfterMs = SLOW_AFTER_MS, onRoom = () => undefined }: FairTurnsOptions) {
    this.options = { slowAfterMs, onRoom };
    this.quick = new Count(limit);
    this.all = new Count(Math.max(limit, slowLimit));
  }

  get full(): boolean {
    return this.quick.full || this.all.full;
  }

  hasRoom(accountId: string): boolean {
    return this.quick.hasRoom(accountId) && this.all.hasRoom(accountId);
  }

  /** Whether the account and the origin of the receiver have some of their share left. */
  mayBegin(receiverId: string): boolean {
    return this.quick.mayBegin(receiverId) && this.all.mayBegin(receiverId);
  }

  /** @param turn never rejects. */
  begin(receiverId: string, turn: Promise<void>): void {
    this.running.add(turn);
    this.all.add(receiverId, 1);
    this.quick.add(receiverId, 1);
    let isQuick = true;
    const leave = () => {
      if (isQuick) this.quick.add(receiverId, -1);
      isQuick = false;
      this.options.onRoom();
    };
    const timer = setTimeout(leave, this.options.slowAfterMs).unref();
    void turn.then(() => {
      clearTimeout(timer);
      this.running.delete(turn);
      this.all.add(receiverId, -1);
      leave();
    });
  }

  async ended(): Promise<void> {
    await Promise.all(this.running);
  }
}

/** Turns by whom they are for. */
class Count {
  private readonly ofAccount = new Map<string, number>();
  private readonly ofOrigin = new Map<string, number>();
  private readonly share: number;
  private total = 0;

  constructor(private readonly limit: number) {
    this.share = Math.floor(limit * SHARE);
  }

  get full(): boolean {
    return this.total >= this.limit;
  }

  hasRoom(accountId: string): boolean {
    return (this.ofAccount.get(accountId) ?? 0) < Math.max(LEAST_OF_ACCOUNT, this.share);
  }

  mayBegin(receiverId: string): boolean {
    const { accountId, origin } = shareholdersOf(receiverId);
    return this.hasRoom(accountId) && (this.ofOrigin.get(origin) ?? 0) < Math.max(1, this.share);
  }

  add(receiverId: string, change: 1 | -1): void {
    const { accountId, origin } = shareholdersOf(receiverId);
    this.total += change;
    add(this.ofAccount, accountId, change);
    add(this.ofOrigin, origin, change);
  }
}

function add(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}
