import { shareholdersOf } from './receiver-id.js';

/** Who may have a turn now. */
export interface Shares {
  /** Whether any receiver of the account may. */
  hasRoom(accountId: string): boolean;
  mayBegin(receiverId: string): boolean;
}

/**
 * Due receivers that were read and wait for a share, so that the next turn does not read them again. The accounts take turns;
 * of each, what was read first comes first. Only ids: whether one is still due, and whose it is, its document says.
 */
export class DueLine {
  private readonly accounts = new Map<string, Set<string>>();

  get isEmpty(): boolean {
    return this.accounts.size === 0;
  }

  add(receiverId: string): void {
    const { accountId } = shareholdersOf(receiverId);
    const line = this.accounts.get(accountId) ?? new Set();
    this.accounts.set(accountId, line.add(receiverId));
  }

  /** Takes one out that may begin; an account without room is passed over as a whole, however many it has here. */
  take(shares: Shares): string | undefined {
    for (const [accountId, line] of this.accounts) {
      if (!shares.hasRoom(accountId)) continue;
      for (const receiverId of line) {
        if (!shares.mayBegin(receiverId)) continue;
        line.delete(receiverId);
        this.accounts.delete(accountId);
        if (line.size > 0) this.accounts.set(accountId, line);
        return receiverId;
      }
    }
    return undefined;
  }

  clear(): void {
    this.accounts.clear();
  }
}
