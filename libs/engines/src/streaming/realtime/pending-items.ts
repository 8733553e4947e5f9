import type { RealtimeUtterance } from './realtime-utterance.js';

/** The utterances without a transcript, in order, by the names that the server gives them on the present connection. */
export class PendingItems {
  private readonly pending: RealtimeUtterance[] = [];
  /** Names of those that have a transcript: the last one, and all. */
  private last: string | undefined;
  private readonly done = new Set<string>();

  get isEmpty(): boolean {
    return this.pending.length === 0;
  }

  get first(): RealtimeUtterance | undefined {
    return this.pending[0];
  }

  add(utterance: RealtimeUtterance): RealtimeUtterance {
    this.pending.push(utterance);
    return utterance;
  }

  /** The first one whose audio or end the server does not have. */
  unsent(): RealtimeUtterance | undefined {
    return this.pending.find(({ isSent }) => !isSent);
  }

  /** Items are in the order of `previous_item_id`, although their events may arrive in another one. */
  name(itemId: string, previous: string | null | undefined): void {
    if (this.done.has(itemId) || this.pending.some((utterance) => utterance.itemId === itemId)) return;
    const before = previous && previous !== this.last ? this.pending.findIndex((utterance) => utterance.itemId === previous) : -1;
    const next = before >= 0 ? this.pending[before + 1] : this.firstUnnamed();
    if (next && next.itemId === undefined) next.itemId = itemId;
  }

  /** A server that transcribes before the commit names the item in its first delta. */
  find(itemId: string): RealtimeUtterance | undefined {
    if (this.done.has(itemId)) return undefined;
    const named = this.pending.find((utterance) => utterance.itemId === itemId);
    if (named) return named;
    const utterance = this.firstUnnamed();
    if (utterance) utterance.itemId = itemId;
    return utterance;
  }

  remove(utterance: RealtimeUtterance): void {
    this.last = utterance.itemId;
    if (utterance.itemId !== undefined) this.done.add(utterance.itemId);
    this.pending.splice(this.pending.indexOf(utterance), 1);
  }

  removeAll(): RealtimeUtterance[] {
    return this.pending.splice(0);
  }

  /** The next connection knows none of them. */
  forget(): void {
    this.last = undefined;
    this.done.clear();
    for (const utterance of this.pending) utterance.forget();
  }

  private firstUnnamed(): RealtimeUtterance | undefined {
    return this.pending.find(({ itemId }) => itemId === undefined);
  }
}
