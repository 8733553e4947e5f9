import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { LiveEvents } from '../src/live/session/live-events.js';
import { LiveFeed } from '../src/live/session/live-feed.js';
import { liveSessionCollection, type LiveLimits } from '../src/live/session/live-session.js';
import { LiveSessions } from '../src/live/session/live-sessions.js';
import { LiveTokens } from '../src/live/session/live-tokens.js';
import type { GatewayHarness } from './gateway-harness.js';

/** The sessions of a gateway as another replica has them: on the same database, without its memory. */
export class LiveReplica implements AsyncDisposable {
  private constructor(
    private readonly documents: DocumentDatabase,
    readonly sessions: LiveSessions,
    readonly events: LiveEvents,
  ) {}

  static async beside(gateway: GatewayHarness): Promise<LiveReplica> {
    const url = `sqlite:${join(gateway.process.dataFolder, 'documents', 'gateway.db')}`;
    const documents = await openDocumentDatabase(url, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'gateway' });
    const sessions = new LiveSessions(documents, systemClock, new LiveTokens(systemClock, randomBytes));
    return new LiveReplica(documents, sessions, new LiveEvents(documents, systemClock, new LiveFeed()));
  }

  /** Sets limits of a session that the settings do not allow, so that a test need not wait for them. */
  async limit(id: string, limits: Partial<LiveLimits>): Promise<void> {
    await this.documents.collection(liveSessionCollection).update(id, (session) => session && { document: { ...session, limits: { ...session.limits, ...limits } } });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.documents.close();
  }
}
