import type { AppError, Clock } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase, Stored } from '@parlance/storage';
import { isOpen, type Circuit } from './circuit.js';
import { DueLine, type Shares } from './due-line.js';
import { DuePages } from './due-pages.js';
import type { WebhookDelivery } from './delivery.js';
import { HeldLine } from './held-line.js';
import { NextCall } from './next-call.js';
import type { OfferedDelivery } from './offered-delivery.js';

/**
 * An account's deliveries to one address stand in one line, so that a receiver that hangs, and the backlog before it,
 * holds up nobody else. The line is leased as a whole: of all replicas one at a time serves it.
 */
interface Receiver extends Document {
  /** When it is to be looked at next: its earliest pending delivery; while it is leased, the lease's end. */
  dueAt: string;
  leased: boolean;
  /** While it does not do well. */
  circuit?: Circuit;
  /** Its circuit is open. */
  resting?: true;
  /** A delivery that its account's owner waits for: it goes first, and at once. */
  probe?: string;
}

/** A lease; its version is the proof that nothing came in between. */
export interface ReceiverLease extends Stored<Receiver> {
  /** What is handed over to who has it. */
  readonly held: HeldLine;
}

const FOR_ALL: Shares = { hasRoom: () => true, mayBegin: () => true };

export class Receivers {
  private readonly collection: DocumentCollection<Receiver>;
  private readonly pages: DuePages<Receiver>;
  private readonly line = new DueLine();
  private readonly expected = new NextCall((id) => this.expectNow(id));
  /** What this process serves. */
  private readonly held = new Map<string, HeldLine>();
  /** What it serves if it gets the lease: offered to, but not told of what is stored, of which others would never hear. */
  private readonly claimed = new Map<string, HeldLine>();

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
  ) {
    this.collection = documents.collection<Receiver>({ name: 'receivers', indexes: [{ fields: [], orderBy: 'dueAt' }, { fields: ['resting'] }] });
    this.pages = new DuePages(this.collection, clock);
  }

  /**
   * Tells that a delivery is stored for the receiver. One that is leased only gets a new version, which its holder notices on
   * release; one that is left alone for a while is left alone all the same, but for a `probe`.
   * @param fresh the delivery, when it was stored just now and nobody has tried it
   */
  async expect(id: string, { probe, fresh }: { probe?: string; fresh?: Stored<WebhookDelivery> | undefined } = {}): Promise<void> {
    if (probe !== undefined) return this.expectNow(id, probe);
    const held = this.held.get(id);
    if (held) held.hear(fresh);
    else await this.expected.ask(id);
  }

  /** Whether it is served here, or may be at once. */
  isHeld(id: string): boolean {
    return this.held.has(id) || this.claimed.has(id);
  }

  /** For who serves it here: the delivery is tried before it is stored, or declined. */
  offer(delivery: OfferedDelivery): void {
    const { receiverId: id } = delivery.document;
    const line = this.held.get(id) ?? this.claimed.get(id);
    if (line) line.offer(delivery);
    else delivery.decline();
  }

  /** It is no longer served here under this lease, however that ended. */
  letGo({ document: { id }, held }: ReceiverLease): void {
    held.forget();
    if (this.held.get(id) === held) this.held.delete(id);
  }

  private async expectNow(id: string, probe?: string): Promise<void> {
    const now = this.clock.now().toISOString();
    const asked = probe === undefined ? {} : { probe };
    const { stored } = await this.collection.update(id, (current) => {
      if (!current) return { document: { id, createdAt: now, dueAt: now, leased: false, ...asked } };
      const document = { ...current, ...asked };
      if (current.leased && current.dueAt > now) return { document };
      const dueAt = probe === undefined ? notBefore(now, current.circuit) : now;
      return { document: { ...document, leased: false, dueAt: dueAt < current.dueAt ? dueAt : current.dueAt } };
    });
    if (stored) this.pages.written(stored.document.dueAt);
  }

  /**
   * Leases the receiver out of turn, for what is handed over from here on; undefined when another replica serves it, or it is
   * left alone for a while.
   */
  async claim(id: string, leaseMs: number): Promise<ReceiverLease | undefined> {
    const line = new HeldLine();
    this.claimed.set(id, line);
    try {
      const { stored, changed } = await this.collection.update(id, (current) => {
        const now = this.clock.now();
        const isFree = !current || ((!current.leased || current.dueAt <= now.toISOString()) && !isOpen(current.circuit));
        if (!isFree) return undefined;
        const createdAt = now.toISOString();
        return { document: { id, createdAt, ...current, leased: true, dueAt: new Date(now.getTime() + leaseMs).toISOString() } };
      });
      return stored && changed ? this.hold(stored, line) : undefined;
    } finally {
      this.claimed.delete(id);
      if (this.held.get(id) !== line) line.forget();
    }
  }

  private hold({ document, version }: Stored<Receiver>, held = new HeldLine()): ReceiverLease {
    this.held.set(document.id, held);
    return { document, version, held };
  }

  /** The same lease for as long again, unless anything came in between. @param circuit as it is by now */
  async renew({ document, version, held }: ReceiverLease, circuit: Circuit | undefined, leaseMs: number): Promise<ReceiverLease | undefined> {
    const dueAt = new Date(this.clock.now().getTime() + leaseMs).toISOString();
    const { circuit: _before, resting: _was, ...rest } = document;
    const renewed = await unlessOvertaken(() => this.collection.replace({ ...rest, dueAt, ...withCircuit(circuit) }, version));
    return renewed && { document: renewed.document, version: renewed.version, held };
  }

  /** Whether receivers that are due wait for a turn. */
  get someWait(): boolean {
    return !this.line.isEmpty;
  }

  /**
   * Leases a due receiver that may have a turn, undefined when none may: the accounts in turn, of each the one that is due longest.
   * A lease that ran out counts as due. One call at a time.
   */
  async takeDue(leaseMs: number, shares: Shares = FOR_ALL): Promise<ReceiverLease | undefined> {
    for (;;) {
      const id = this.line.take(shares);
      const lease = id !== undefined && (await this.lease(id, leaseMs));
      if (lease) return lease;
      if (id === undefined && !(await this.readOn())) return undefined;
    }
  }

  /** @returns whether there was more. */
  private async readOn(): Promise<boolean> {
    const ids = await this.pages.next(() => this.line.clear());
    for (const id of ids ?? []) this.line.add(id);
    return ids !== undefined;
  }

  /**
   * Unless it is not due any more: another replica was faster, or nothing waits for it. One that is served here goes on being
   * served, though its lease ran out, as it does while the computer sleeps.
   */
  private async lease(id: string, leaseMs: number): Promise<ReceiverLease | undefined> {
    for (;;) {
      if (this.held.has(id)) return undefined;
      const current = await this.collection.get(id);
      const now = this.clock.now();
      if (!current || current.document.dueAt > now.toISOString()) return undefined;
      const dueAt = new Date(now.getTime() + leaseMs).toISOString();
      const lease = await unlessOvertaken(() => this.collection.replace({ ...current.document, leased: true, dueAt }, current.version));
      if (lease) return this.hold(lease);
    }
  }

  /**
   * Ends the lease. `nextDueAt` is asked again when a delivery came meanwhile; without one the receiver is forgotten.
   * One with a backlog goes behind those that are due by now, so that each gets its turn. A lease that ran out may be another
   * replica's by now, and is left to it.
   */
  async release(lease: ReceiverLease, circuit: Circuit | undefined, nextDueAt: () => Promise<string | undefined>): Promise<void> {
    const { id, probe: served } = lease.document;
    for (let current: Stored<Receiver> | undefined = lease; current && isSameLease(current, lease); current = await this.collection.get(id)) {
      const { version, document } = current;
      const { probe, circuit: _before, resting: _was, ...rest } = document;
      // A probe that was asked for meanwhile is still to be made.
      const waiting = probe === served ? {} : { probe };
      const next = await this.lastLook(lease, nextDueAt);
      const now = this.clock.now().toISOString();
      const earliest = 'probe' in waiting ? now : notBefore(now, circuit);
      const dueAt = next === undefined || next < earliest ? earliest : next;
      const after = { ...rest, leased: false, dueAt, ...waiting, ...withCircuit(circuit) };
      const done = await unlessOvertaken(async () => {
        if (next === undefined) await this.collection.remove(id, version);
        else await this.putBack(after, version);
        return true;
      });
      if (done) return;
    }
    this.letGo(lease);
    if ((await nextDueAt()) !== undefined) await this.expectNow(id);
  }

  /** What is stored from here on is told by the document's version again. */
  private async lastLook(lease: ReceiverLease, nextDueAt: () => Promise<string | undefined>): Promise<string | undefined> {
    for (;;) {
      lease.held.forget();
      const next = await nextDueAt();
      if (lease.held.heard) continue;
      this.letGo(lease);
      return next;
    }
  }

  private async putBack(receiver: Receiver, version: number): Promise<void> {
    await this.collection.replace(receiver, version);
    this.pages.written(receiver.dueAt);
  }

  /** Until when those of them are left alone that do not do well. */
  async rests(ids: Iterable<string>): Promise<Map<string, string>> {
    const receivers = await Promise.all([...new Set(ids)].map((id) => this.collection.get(id)));
    return new Map(receivers.flatMap((stored) => (isOpen(stored?.document.circuit) ? [[stored.document.id, stored.document.circuit.openUntil]] : [])));
  }

  countResting(): Promise<number> {
    return this.collection.count({ resting: true });
  }

  /** @param from leaves out what is due before. */
  async earliestDueAt(from = new Date(0)): Promise<Date | undefined> {
    const range = { field: 'dueAt', gte: from.toISOString() };
    const { items } = await this.collection.find({ range, orderBy: 'dueAt', direction: 'ascending', limit: 1 });
    return items[0] && new Date(items[0].document.dueAt);
  }
}

const withCircuit = (circuit: Circuit | undefined) => ({ ...(circuit && { circuit }), ...(isOpen(circuit) && { resting: true as const }) });

const isSameLease = ({ document: { leased, dueAt } }: Stored<Receiver>, { document }: ReceiverLease): boolean => leased && dueAt === document.dueAt;

const notBefore = (now: string, circuit: Circuit | undefined): string => (isOpen(circuit) && circuit.openUntil > now ? circuit.openUntil : now);

async function unlessOvertaken<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if ((error as AppError).code === 'version_conflict') return undefined;
    throw error;
  }
}
