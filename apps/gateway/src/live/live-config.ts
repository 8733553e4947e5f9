import { integer, type ConfigOf } from '@parlance/platform';
import type { LiveLimits } from './session/live-session.js';

/** Limits of live sessions that an operator sets. */
export const liveConfig = {
  LIVE_SESSIONS_PER_ACCOUNT: integer(0, 100_000).default(20).describe('Live sessions that one account may have open at once, for plans that do not set `live_sessions`; 0: no limit'),
  LIVE_SESSION_MAX_MINUTES: integer(1, 1440).default(240).describe('Minutes of the longest live session; it is finished then'),
  LIVE_IDLE_SECONDS: integer(5, 3600).default(60).describe('Seconds without audio or `keepalive` after which the connection of a live session is closed'),
  LIVE_RESUME_SECONDS: integer(5, 3600).default(60).describe('Seconds within which the client of a live session may connect again; then the session is finished with what was acknowledged'),
  LIVE_STALL_SECONDS: integer(5, 3600).default(60).describe('Seconds for which a recognizer of live audio may neither take audio nor answer; then recognition begins anew, and after the second time at the same place it is given up: the connection is closed with 1013. Longer than the engine takes for an utterance of 20 s'),
} as const;

/** Bytes of the largest frame: more than two seconds of 48 kHz stereo. */
const MAX_FRAME_BYTES = 512 * 1024;

export const liveLimits = ({ LIVE_SESSION_MAX_MINUTES, LIVE_IDLE_SECONDS, LIVE_RESUME_SECONDS }: ConfigOf<typeof liveConfig>): Omit<LiveLimits, 'maxBytes'> => ({
  maxFrameBytes: MAX_FRAME_BYTES,
  idleMs: LIVE_IDLE_SECONDS * 1000,
  maxSessionMs: LIVE_SESSION_MAX_MINUTES * 60_000,
  resumeMs: LIVE_RESUME_SECONDS * 1000,
});
