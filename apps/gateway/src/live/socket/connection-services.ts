import type { Clock, Logger } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import type { LastingLog } from '../recognition/lasting-log.js';
import type { LiveEngine } from '../recognition/live-modes.js';
import type { RecognitionServices } from '../recognition/recognition-run.js';
import type { LiveEndings } from '../ending/live-endings.js';
import type { SessionEnd } from '../ending/session-end.js';
import type { LiveEvents } from '../session/live-events.js';
import type { LiveFeed } from '../session/live-feed.js';
import type { LiveMetrics } from '../live-metrics.js';
import type { LiveSession } from '../session/live-session.js';
import type { LiveSessions } from '../session/live-sessions.js';
import type { SessionQuota } from './live-quota.js';

/** Injection token of {@link ConnectionServices}. */
export const CONNECTION_SERVICES = Symbol('ConnectionServices');

/** The dependencies of a connection; all connections share them. */
export interface ConnectionServices {
  sessions: LiveSessions;
  events: LiveEvents;
  feed: Pick<LiveFeed, 'publish'>;
  media: MediaStore;
  recognition: RecognitionServices;
  end: Pick<SessionEnd, 'complete'>;
  endings: Pick<LiveEndings, 'begin'>;
  metrics: Pick<LiveMetrics, 'acknowledged' | 'sessionEnded'>;
  clock: Clock;
  log: Logger;
}

/** The session as it is when a connection has taken it. */
export interface TakenSession {
  session: LiveSession;
  messages: LastingLog;
  engine: LiveEngine;
  quota: SessionQuota;
  /** The last sequence that the client has. */
  after: number;
  /** When one of these keys and tokens is refused, the connection ends. */
  credentialIds: ReadonlySet<string>;
}
