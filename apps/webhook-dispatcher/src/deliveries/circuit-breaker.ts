import { Inject, Injectable } from '@nestjs/common';
import type { AppError, Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase, Stored } from '@parlance/storage';
import { isOpen, type Circuit } from './circuit.js';

/** A receiver that fails, or that a delivery was requested for; others are not stored. */
export interface Receiver extends Document {
  /** While it fails. */
  circuit?: Circuit;
  /** Its circuit is open. */
  resting?: true;
  /** A delivery that the account's owner requested: it is sent first, whatever the circuit says. */
  probe?: string;
  /** When it was to be served next, as versions before the task queue stored it. */
  dueAt?: string;
  /** Set by the same versions while a process served the receiver, until `dueAt` at the latest. */
  leased?: boolean;
}

export const RECEIVERS: CollectionDefinition<Receiver> = { name: 'receivers', indexes: [{ fields: [], orderBy: 'dueAt' }, { fields: ['resting'] }] };

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

  async of(receiverId: string): Promise<Pick<Receiver, 'circuit' | 'probe'>> {
    return (await this.receivers.get(receiverId))?.document ?? {};
  }

  /** Sends the delivery as the next one, even while the circuit is open. */
  async probe(receiverId: string, deliveryId: string): Promise<void> {
    await this.change(receiverId, (current) => ({ ...current, probe: deliveryId }));
  }

  /** Stores the circuit as it is after a turn. @param probe the requested delivery that the turn has sent */
  async save(receiverId: string, circuit: Circuit | undefined, probe: string | undefined): Promise<void> {
    const stored = await this.change(receiverId, ({ circuit: _circuit, resting: _resting, probe: next, ...rest }) => ({
      ...rest,
      ...(circuit && { circuit }),
      ...(isOpen(circuit) && { resting: true as const }),
      ...(next !== undefined && next !== probe && { probe: next }),
    }));
    if (stored) await removeIfBare(this.receivers, stored);
  }

  /** Until when no webhook is sent to those of the receivers whose circuit is open. */
  async openUntil(receiverIds: Iterable<string>): Promise<Map<string, string>> {
    const receivers = await Promise.all([...new Set(receiverIds)].map((id) => this.receivers.get(id)));
    return new Map(receivers.flatMap((stored) => (isOpen(stored?.document.circuit) ? [[stored.document.id, stored.document.circuit.openUntil]] : [])));
  }

  countOpen(): Promise<number> {
    return this.receivers.count({ resting: true });
  }

  private async change(id: string, change: (current: Receiver) => Receiver): Promise<Stored<Receiver> | undefined> {
    const createdAt = this.clock.now().toISOString();
    return (await this.receivers.update(id, (current) => ({ document: change(current ?? { id, createdAt }) }))).stored;
  }
}

/** Removes the document of a receiver that has nothing left in it, unless it was written meanwhile. */
export async function removeIfBare(receivers: DocumentCollection<Receiver>, { document: { id, createdAt: _createdAt, ...known }, version }: Stored<Receiver>): Promise<void> {
  if (Object.keys(known).length > 0) return;
  await receivers.remove(id, version).catch((error: AppError) => {
    if (error.code !== 'version_conflict') throw error;
  });
}
