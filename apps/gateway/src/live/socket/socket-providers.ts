import type { LiveMediaService, LiveService } from '@parlance/contracts';
import { LIVE_MEDIA_SERVICE, LIVE_SERVICE, SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import type { liveConfig } from '../live-config.js';
import { LiveMetrics } from '../live-metrics.js';
import { LiveModes } from '../recognition/live-modes.js';
import { RECOGNITION_SERVICES, type RecognitionServices } from '../recognition/recognition-run.js';
import { LiveEndings } from '../ending/live-endings.js';
import { SessionEnd } from '../ending/session-end.js';
import { LiveEvents } from '../session/live-events.js';
import { LiveFeed } from '../session/live-feed.js';
import { LiveSessions } from '../session/live-sessions.js';
import { ConnectionOpening } from './connection-opening.js';
import { CONNECTION_SERVICES, type ConnectionServices } from './connection-services.js';
import { LiveQuota } from './live-quota.js';
import { LiveSockets } from './live-sockets.js';
import { SocketAdmission } from './socket-admission.js';

/** The sockets of live sessions, and the recognition behind them. */
export const SOCKET_PROVIDERS = [
  { provide: RECOGNITION_SERVICES, useFactory: (live: LiveService, media: LiveMediaService, { config }: ServiceContext<typeof liveConfig>): RecognitionServices => ({ live, media, stallMs: config.LIVE_STALL_SECONDS * 1000 }), inject: [LIVE_SERVICE, LIVE_MEDIA_SERVICE, SERVICE_CONTEXT] },
  SessionEnd,
  LiveModes,
  SocketAdmission,
  ConnectionOpening,
  LiveQuota,
  LiveSockets,
  {
    provide: CONNECTION_SERVICES,
    useFactory: ({ clock, log, media }: ServiceContext, sessions: LiveSessions, events: LiveEvents, feed: LiveFeed, end: SessionEnd, endings: LiveEndings, metrics: LiveMetrics, recognition: RecognitionServices): ConnectionServices => ({ sessions, events, feed, end, endings, metrics, recognition, media, clock, log }),
    inject: [SERVICE_CONTEXT, LiveSessions, LiveEvents, LiveFeed, SessionEnd, LiveEndings, LiveMetrics, RECOGNITION_SERVICES],
  },
];
