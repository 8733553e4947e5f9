import type { Clock } from '@parlance/platform';
import type { Document, DocumentCollection } from '@parlance/storage';

const PAGE = 50;
/** Replicas do not hear of each other's writes, and their clocks differ: all is read again after this time. */
const READ_ALL_AFTER_MS = 20_000;

/** Reads what becomes due, the longest due first, and each only once for a while: the next page begins where the last one ended. */
export class DuePages<T extends Document & { dueAt: string }> {
  /** The documents due before it have been read, or will be in the pass that goes on. */
  private readFrom = '';
  private pass: { from: string; until: string; cursor?: string } | undefined;
  private readAllAt = -Infinity;

  constructor(
    private readonly collection: DocumentCollection<T>,
    private readonly clock: Clock,
  ) {}

  /** A document was written: it is found by the next pass, though what was due at that time has been read. */
  written(dueAt: string): void {
    if (dueAt < this.readFrom) this.readFrom = dueAt;
  }

  /** The ids of the next page, undefined at the end. @param onReadAll hears that everything is read again from here */
  async next(onReadAll: () => void): Promise<string[] | undefined> {
    this.pass ??= this.begin(onReadAll);
    const { from, until, cursor } = this.pass;
    const { items, nextCursor } = await this.collection.find({
      range: { field: 'dueAt', gte: from, lt: until },
      orderBy: 'dueAt',
      direction: 'ascending',
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    this.pass = nextCursor === null ? undefined : { from, until, cursor: nextCursor };
    return items.length === 0 ? undefined : items.map(({ document }) => document.id);
  }

  private begin(onReadAll: () => void): { from: string; until: string } {
    const now = this.clock.now().getTime();
    if (Math.abs(now - this.readAllAt) >= READ_ALL_AFTER_MS) {
      this.readAllAt = now;
      this.readFrom = '';
      onReadAll();
    }
    const from = this.readFrom;
    const until = new Date(now + 1).toISOString();
    this.readFrom = until;
    return { from, until };
  }
}
