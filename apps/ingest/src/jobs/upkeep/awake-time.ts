import type { CollectionDefinition, Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';

/** One for all processes, so that a restart is not time away. In ms since the epoch. */
interface AwakeTimeDocument extends Document {
  awakeSince: number;
  lastRound: number;
}

const AWAKE_TIME: CollectionDefinition<AwakeTimeDocument> = { name: 'upkeep', indexes: [] };
const ID = 'upkeep';

/** Since when time has passed for the jobs too: while the machine slept or was off, none of them became late. */
export class AwakeTime {
  private readonly collection: DocumentCollection<AwakeTimeDocument>;

  /** @param maxGapMs between two rounds of the upkeep, of any process; longer is time away */
  constructor(
    documents: DocumentDatabase,
    private readonly maxGapMs: number,
  ) {
    this.collection = documents.collection(AWAKE_TIME);
  }

  /** To be asked in each round. */
  async since(now: number): Promise<number> {
    const { stored } = await this.collection.update(ID, (current) => {
      const wasAway = !current || now - current.lastRound > this.maxGapMs;
      const createdAt = current?.createdAt ?? new Date(now).toISOString();
      return { document: { id: ID, createdAt, awakeSince: wasAway ? now : current.awakeSince, lastRound: Math.max(now, current?.lastRound ?? now) } };
    });
    return stored?.document.awakeSince ?? now;
  }
}
