import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { partsOfReceiverId, type Outcome } from './delivery.js';
import { jittered } from './retry-schedule.js';

/** The recent failures of a receiver; a receiver without a circuit answers. */
export interface Circuit {
  /** Attempts that failed one after the other. */
  failures: number;
  /** When the first of them failed. */
  since: string;
  /** Until then nothing is sent; then one webhook, whose outcome closes the circuit or opens it again. */
  openUntil?: string;
  /** Milliseconds for which the circuit was opened the last time. */
  restMs?: number;
}

/** Failures that open the circuit when they last for `FOR_MS`: neither a short outage nor a single webhook that the receiver refuses does. */
const FAILURES = 5;
const FOR_MS = 10_000;
/** So many failures open it however fast they come. */
const MANY_FAILURES = 20;
const FIRST_REST_MS = 5_000;
const MAX_REST_MS = 5 * 60_000;

export const isOpen = (circuit: Circuit | undefined): circuit is Circuit & { openUntil: string } => circuit?.openUntil !== undefined;

/**
 * The circuit after an attempt; undefined once the receiver has accepted a webhook.
 * @param random 0 ≤ random < 1
 */
export function circuitAfter(circuit: Circuit | undefined, outcome: Outcome, now: Date, random: number): Circuit | undefined {
  if (outcome === 'delivered') return undefined;
  // The others say nothing about the receiver's health.
  if (outcome !== 'retry') return circuit;
  const since = circuit?.since ?? now.toISOString();
  const failures = (circuit?.failures ?? 0) + 1;
  const lasting = failures >= FAILURES && now.getTime() - Date.parse(since) >= FOR_MS;
  if (!lasting && failures < MANY_FAILURES && !isOpen(circuit)) return { failures, since };
  const restMs = Math.min(MAX_REST_MS, circuit?.restMs === undefined ? FIRST_REST_MS : 2 * circuit.restMs);
  const openUntil = new Date(now.getTime() + jittered(restMs, random)).toISOString();
  return { failures, since, openUntil, restMs };
}

/** A receiver that fails, under its `receiverId`; others are not stored. */
interface Receiver extends Document {
  circuit: Circuit;
  /** Its circuit is open. */
  resting?: true;
}

const RECEIVERS: CollectionDefinition<Receiver> = {
  name: 'receivers',
  data: { what: 'state of receivers: failures, when to try again', purpose: 'to spare receivers that fail', kept: 'with the account' },
  indexes: [{ fields: ['resting'] }],
};

/** The circuits of receivers, stored, so that they hold for all replicas and after a restart. */
@Injectable()
export class CircuitBreaker {
  private readonly receivers: DocumentCollection<Receiver>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.receivers = documents.collection(RECEIVERS);
  }

  async of(receiverId: string): Promise<Circuit | undefined> {
    return (await this.receivers.get(receiverId))?.document.circuit;
  }

  /** Stores the circuit as it is after a turn. */
  async save(id: string, circuit: Circuit | undefined): Promise<void> {
    if (!circuit) return void (await this.receivers.remove(id));
    await this.receivers.update(id, ({ createdAt } = { id, createdAt: this.clock.now().toISOString(), circuit }) => ({
      document: { id, createdAt, circuit, ...(isOpen(circuit) && { resting: true }) },
    }));
  }

  /** Until when no webhook is sent to those of the receivers whose circuit is open. */
  async openUntil(receiverIds: Iterable<string>): Promise<Map<string, string>> {
    const receivers = await Promise.all([...new Set(receiverIds)].map((id) => this.receivers.get(id)));
    return new Map(receivers.flatMap((stored) => (isOpen(stored?.document.circuit) ? [[stored.document.id, stored.document.circuit.openUntil]] : [])));
  }

  /** Only receivers that fail are stored, so that all are looked at. */
  async removeOf(accountId: string): Promise<void> {
    for await (const { document } of this.receivers.all()) if (partsOfReceiverId(document.id).accountId === accountId) await this.receivers.remove(document.id);
  }

  countOpen(): Promise<number> {
    return this.receivers.count({ resting: true });
  }
}
