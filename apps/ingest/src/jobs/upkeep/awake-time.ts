import { Inject, Injectable } from '@nestjs/common';
import { DOCUMENTS } from '@parlance/runtime';
import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';

/** One document for all processes, so that a restart does not count as a gap. Times are in milliseconds since the epoch. */
interface AwakeTimeDocument extends Document {
  awakeSince: number;
  lastRound: number;
}

const AWAKE_TIME: CollectionDefinition<AwakeTimeDocument> = {
  name: 'upkeep',
  data: { what: 'when the service was last awake', purpose: 'to count deadlines without outages', kept: 'no end' },
  indexes: [],
};
const ID = 'upkeep';
/** Milliseconds between two rounds of the upkeep, of any process. In a longer gap the machine was off or asleep. */
const MAX_GAP_MS = 3 * 60_000;

/** Records since when the upkeep runs without a gap: time during which the machine was off or asleep does not make a job late. */
@Injectable()
export class AwakeTime {
  private readonly collection: DocumentCollection<AwakeTimeDocument>;

  constructor(@Inject(DOCUMENTS) documents: DocumentDatabase) {
    this.collection = documents.collection(AWAKE_TIME);
  }

  /** Records a round. @returns when the first round after the last gap was */
  async since(now: number): Promise<number> {
    const { stored } = await this.collection.update(ID, (current) => {
      const wasAway = !current || now - current.lastRound > MAX_GAP_MS;
      const createdAt = current?.createdAt ?? new Date(now).toISOString();
      return { document: { id: ID, createdAt, awakeSince: wasAway ? now : current.awakeSince, lastRound: Math.max(now, current?.lastRound ?? now) } };
    });
    return stored?.document.awakeSince ?? now;
  }
}
