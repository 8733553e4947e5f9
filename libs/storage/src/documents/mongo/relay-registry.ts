import { randomUUID } from 'node:crypto';
import type { Clock } from '@parlance/platform';
import type { MongoServer } from './mongo-server.js';

interface RelayRecord {
  _id: string;
  /** By the server's clock, which alone is the same for all. */
  seenAt: Date;
}

/** A dot, so that no collection of a service has the name. */
const COLLECTION = 'outbox.relays';
/** Milliseconds between two signs of life. */
const SIGN_EVERY = 2_000;
/** Longer than the relay's longest back-off, after which its next look is a sign of life. */
const RELAY_TIMEOUT_MS = 15_000;

/**
 * Which processes relay the events of this database. Each relays what it wrote itself, at once; what a process wrote that
 * shows no sign of life is everybody's. So replicas do not publish each other's events over and over, and none is left behind.
 */
export class RelayRegistry {
  readonly self: string = randomUUID();
  private others: readonly string[] = [];
  private signedAt = -Infinity;

  constructor(
    private readonly server: MongoServer,
    private readonly clock: Clock,
    private readonly timeoutMs = RELAY_TIMEOUT_MS,
  ) {}

  /** Shows that this process relays. @returns the others that do */
  async othersAlive(): Promise<readonly string[]> {
    const now = this.clock.now().getTime();
    if (Math.abs(now - this.signedAt) < SIGN_EVERY) return this.others;
    this.others = await this.server.call(async (database) => {
      const relays = database.collection<RelayRecord>(COLLECTION);
      const own = await relays.findOneAndUpdate({ _id: this.self }, { $currentDate: { seenAt: true } }, { upsert: true, returnDocument: 'after' });
      const since = new Date((own?.seenAt.getTime() ?? now) - this.timeoutMs);
      await relays.deleteMany({ seenAt: { $lt: new Date(since.getTime() - this.timeoutMs) } });
      const alive = await relays.find({ seenAt: { $gt: since }, _id: { $ne: this.self } }, { projection: { _id: 1 } }).toArray();
      return alive.map(({ _id }) => _id);
    });
    this.signedAt = now;
    return this.others;
  }

  /** Leaves what this process did not relay to the others. */
  async leave(): Promise<void> {
    if (this.signedAt === -Infinity) return;
    await this.server.call((database) => database.collection<RelayRecord>(COLLECTION).deleteOne({ _id: this.self }));
  }
}
