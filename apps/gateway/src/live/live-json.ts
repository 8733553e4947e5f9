import { common, type ingest } from '@parlance/contracts';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { present } from '../http/schema.js';
import type { ShownAudio } from '../transcriptions/live-audio-schema.js';
import { LIVE_ENCODING } from '../transcriptions/live-job-json.js';
import type { liveSchema, NewLive } from './live-schema.js';
import { isOver, type LiveAudio, type LiveLimits, type LiveSession } from './session/live-session.js';

const { LiveEncoding: Encoding, LiveFinalPass } = common;

/** As the session stores it. */
export const audioOf = (audio: NewLive['audio']): LiveAudio => ('container' in audio ? audio : { encoding: audio.encoding, sampleRate: audio.sample_rate, channels: audio.channels });

/** As the other services read it. */
export const audioMessage = (audio: LiveAudio): common.LiveAudio =>
  'container' in audio ? { encoding: Encoding.LIVE_ENCODING_UNSPECIFIED, sampleRate: 0, channels: 0 } : { ...audio, encoding: LIVE_ENCODING[audio.encoding] };

/** The source of the job. */
export const liveSource = (body: Pick<NewLive, 'audio' | 'final_pass' | 'store_audio'>): ingest.LiveSource => ({
  audio: audioMessage(audioOf(body.audio)),
  finalPass: body.final_pass === 'same' ? LiveFinalPass.LIVE_FINAL_PASS_SAME : LiveFinalPass.LIVE_FINAL_PASS_NONE,
  storeAudio: body.store_audio,
});

/** The address of a session's WebSocket, by PUBLIC_URL or else by the Host of the request. */
export const socketUrl = (id: string, request: FastifyRequest): string => `${baseOf(request).replace(/^http/, 'ws')}/api/v1/live/${id}/socket`;
/** The address of its event stream. */
export const streamUrl = (id: string, request: FastifyRequest): string => `${baseOf(request)}/api/v1/live/${id}/events`;

const baseOf = ({ server: { publicUrl }, protocol, host }: FastifyRequest): string => publicUrl ?? `${protocol}://${host}`;

export const liveJson = (session: LiveSession, lastSeq: number, url: string): z.output<typeof liveSchema> =>
  present({
    id: session.id,
    status: session.status,
    created_at: session.createdAt,
    ended_at: session.endedAt,
    resume_until: isOver(session) ? undefined : session.resumeUntil,
    url,
    audio: audioJson(session.audio),
    generation: session.generation,
    acknowledged_offset: session.acknowledged,
    audio_ms: session.audioMs,
    last_seq: lastSeq,
    resume_within_ms: session.limits.resumeMs,
    limits: limitsJson(session.limits),
  });

const limitsJson = ({ maxFrameBytes, idleMs, maxSessionMs }: LiveLimits) => ({ max_frame_bytes: maxFrameBytes, idle_ms: idleMs, max_session_ms: maxSessionMs });

const audioJson = (audio: LiveAudio): ShownAudio => ('container' in audio ? audio : { encoding: audio.encoding, sample_rate: audio.sampleRate, channels: audio.channels });
