import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { LastingMessage } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import { ownerOfPart, type CollectionDefinition, type Document, type DocumentCollection, type DocumentDatabase } from '@parlance/storage';
import { LiveFeed } from './live-feed.js';
import type { LiveSession, RestartPoint } from './live-session.js';

/** A lasting message of a session. Nothing changes it any more. */
export interface LiveEvent extends Document {
  sessionId: string;
  /** Absent in a document of an earlier version, which is not sealed. */
  accountId?: string;
  seq: number;
  /** The generation that stored it. */
  generation: number;
  message: LastingMessage;
  /** The point at which recognition may begin after it. */
  restart?: RestartPoint;
  /** True for a final whose punctuation and capitals a model wrote. */
  isPunctuated?: true;
}

/** The connection that stores messages of a session. */
export type SessionConnection = Pick<LiveSession, 'id' | 'accountId' | 'generation'>;

/** Stored beside a message, and not sent. */
export type EventDetails = Pick<LiveEvent, 'restart' | 'isPunctuated'>;

const liveEventCollection: CollectionDefinition<LiveEvent> = {
  name: 'live_events',
  data: { what: 'text of a live session', purpose: 'to show what was said, also after a lost connection', kept: '7 days after the end of the session, or with the job' },
  indexes: [{ fields: ['sessionId'], orderBy: 'seq' }],
  sealed: { fields: ['message'], owner: ({ accountId, sessionId }) => ownerOfPart({ accountId, jobId: sessionId }) },
};

/** `stored`: it is there now. `same`: it was there already. `other`: another message has its sequence. */
type AppendOutcome = 'stored' | 'same' | 'other';

/** The lasting messages of sessions, each once. */
@Injectable()
export class LiveEvents {
  private readonly collection: DocumentCollection<LiveEvent>;

  constructor(
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LiveFeed) private readonly feed: Pick<LiveFeed, 'publish'>,
  ) {
    this.collection = documents.collection(liveEventCollection);
  }

  /** Stores the message unless its sequence is taken. */
  async append({ id: sessionId, accountId, generation }: SessionConnection, message: LastingMessage, details: EventDetails = {}): Promise<AppendOutcome> {
    const id = eventId(sessionId, message.seq);
    const event: LiveEvent = { id, createdAt: this.clock.now().toISOString(), sessionId, accountId, seq: message.seq, generation, message, ...details };
    if (await this.collection.insertIfAbsent(event)) {
      this.feed.publish(sessionId, message);
      return 'stored';
    }
    const known = (await this.collection.get(id))?.document.message;
    return isDeepStrictEqual(known, plain(message)) ? 'same' : 'other';
  }

  /** The messages with a later sequence, in order. */
  async *list(sessionId: string, after = 0): AsyncGenerator<LiveEvent> {
    for await (const { document } of this.collection.all({ where: { sessionId }, range: { field: 'seq', gte: after + 1 }, orderBy: 'seq', direction: 'ascending' })) yield document;
  }

  async last(sessionId: string): Promise<LiveEvent | undefined> {
    return (await this.collection.find({ where: { sessionId }, orderBy: 'seq', limit: 1 })).items[0]?.document;
  }

  count(sessionId: string): Promise<number> {
    return this.collection.count({ sessionId });
  }

  async removeAll(sessionId: string): Promise<void> {
    await this.collection.removeWhere({ sessionId });
  }
}

const eventId = (sessionId: string, seq: number): string => `${sessionId}/${String(seq).padStart(9, '0')}`;

/** Without fields that are undefined, as it is stored. */
const plain = (message: LastingMessage): unknown => JSON.parse(JSON.stringify(message));
