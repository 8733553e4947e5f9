import { z } from 'zod';
import { endSeconds, jobId, openEnum, seconds, startSeconds, time } from '../http/schema.js';
import { uploadOptionsSchema } from '../transcriptions/job-options-schema.js';
import { shownAudio } from '../transcriptions/live-audio-schema.js';
import { LIVE_STATUSES } from './session/live-session.js';

const rawAudio = z
  .strictObject({
    encoding: z.enum(['pcm_s16le', 'mulaw', 'alaw']).meta({ id: 'LiveEncoding', description: 'The form of the samples: signed 16-bit little-endian, or G.711.' }),
    sample_rate: z.int().min(8000).max(48_000).meta({ description: 'Samples per second and channel.', example: 16_000 }),
    channels: z.int().min(1).max(8).default(1).meta({ description: 'Channels, their samples in turn. They are mixed.' }),
  })
  .meta({ id: 'LiveRawAudio', description: 'Samples without a container.' });

const containerAudio = z
  .strictObject({ container: z.literal('auto').meta({ description: 'It is recognized by its bytes.' }) })
  .meta({ id: 'LiveContainerAudio', description: 'A container: WebM, Ogg, fragmented MP4, MP3, FLAC and others.' });

const audio = z.union([rawAudio, containerAudio]);

const finalPass = z.enum(['none', 'same']).meta({ id: 'LiveFinalPass', description: '`none`: the transcript is made of the finals. `same`: the recording is transcribed again, as a file.' });

const endpointing = z
  .strictObject({
    silence_ms: z.int().min(200).max(5000).default(500).meta({ description: 'Milliseconds of silence that end an utterance.' }),
    max_utterance_ms: z.int().min(1000).max(20_000).default(20_000).meta({ description: 'Milliseconds after which an utterance is ended.' }),
  })
  .meta({ id: 'LiveEndpointing', description: 'What ends an utterance.' });

const liveFields = {
  audio: audio.default({ container: 'auto' }).meta({ description: 'What the client will send.' }),
  partials: z.boolean().default(true).meta({ description: 'Whether partials are sent.' }),
  endpointing: endpointing.default({ silence_ms: 500, max_utterance_ms: 20_000 }).meta({ description: 'What ends an utterance.', override: { default: undefined } }),
  store_audio: z.boolean().default(true).meta({ description: 'False: the recording is removed when the job ends.' }),
  final_pass: finalPass.default('none').meta({ description: 'How the transcript of the job is made.' }),
};

type GivenOptions = z.output<typeof uploadOptionsSchema> & { final_pass: 'none' | 'same' };

/** Options that a transcript of finals cannot have. */
function finalsRules({ final_pass: pass, channels, channel_names: names, language }: GivenOptions, context: z.RefinementCtx): void {
  const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message: `${message} With final_pass "same" they can be transcribed so.`, params: { code: 'not_supported' } });
  if (pass !== 'none') return;
  if (channels === 'split' || channels === 'auto') refuse('channels', 'The channels of live audio are mixed.');
  if (names) refuse('channel_names', 'The channels of live audio are mixed.');
  if (typeof language === 'object') refuse('language', 'The detection of a live session cannot be limited.');
}

/** The body of a creation. */
export const newLiveSchema = z
  .strictObject({ ...uploadOptionsSchema.shape, ...liveFields })
  .superRefine(finalsRules)
  .refine(({ result_key: key }) => key === undefined, { path: ['result_key'], message: 'The words of a live session are sent in clear while they are said; its results cannot be sealed.', params: { code: 'not_supported' } })
  .meta({ id: 'NewLiveSession', description: 'A live session: the options of its job, and those of its audio.', example: { audio: { encoding: 'pcm_s16le', sample_rate: 16_000 }, language: 'en' } });

export type NewLive = z.output<typeof newLiveSchema>;

const liveStatus = z.enum(LIVE_STATUSES).meta({ id: 'LiveStatus', description: 'The state of a live session. `ending`: nothing can be sent any more, and what is left is being recognized.' });

const limits = z
  .object({
    max_frame_bytes: z.int().meta({ description: 'Bytes of the largest frame.' }),
    idle_ms: z.int().meta({ description: 'Milliseconds without audio or `keepalive` until a connection is closed.' }),
    max_session_ms: z.int().meta({ description: 'Milliseconds of the longest session.' }),
  })
  .meta({ id: 'LiveLimits', description: 'Limits of a live session.' });

const status = openEnum(liveStatus).meta({ description: 'The state of the session.' });
const socketUrl = z.string().meta({ description: 'The URL of the WebSocket.', example: 'wss://example.org/api/v1/live/job_01k9…/socket' });
const tokenEnd = time.meta({ description: 'The token is refused from this time on.' });

export const liveSchema = z
  .object({
    id: jobId.meta({ description: 'The id of the session and of its job.' }),
    status,
    created_at: time.meta({ description: 'When it was created.' }),
    ended_at: time.optional().meta({ description: 'When it ended.' }),
    resume_until: time.optional().meta({ description: 'Without a connection until then, an open session is finished.' }),
    url: socketUrl,
    audio: shownAudio,
    generation: z.int().meta({ description: 'The number of connections so far.' }),
    acknowledged_offset: z.int().meta({ description: 'Bytes that are stored.' }),
    audio_ms: z.int().meta({ description: 'Milliseconds of audio in them, as far as known.' }),
    last_seq: z.int().meta({ description: 'The sequence of the last lasting message; 0 before the first.' }),
    resume_within_ms: z.int().meta({ description: 'Milliseconds within which a client may connect again.' }),
    limits,
  })
  .meta({ id: 'LiveSession', description: 'A live session.' });

export const createdLiveSchema = liveSchema
  .extend({
    token: z.string().meta({ description: 'Opens the WebSocket once: as the subprotocol `token.<token>` beside `parlance.v1`, or as `?token=`.', example: 'plv_5R2x…' }),
    token_expires_at: tokenEnd,
  })
  .meta({ id: 'CreatedLiveSession', description: 'A new live session.' });

const liveAccess = z.enum(['socket', 'read']).meta({ id: 'LiveAccess', description: '`socket`: opens the WebSocket once. `read`: follows the session.' });

export const liveTokenRequest = z
  .strictObject({ access: liveAccess.default('socket').meta({ description: 'Only keys can make the access `read`: a short-lived token for this job, until the longest end of the session.' }) })
  .meta({ id: 'NewLiveToken', description: 'What a token of a live session is for.' });

export const liveTokenSchema = z
  .object({ access: openEnum(liveAccess).meta({ description: 'What the token is for.' }), token: z.string().meta({ description: 'The token. It is shown only once.', example: 'plv_5R2x…' }), token_expires_at: tokenEnd, url: z.string().meta({ description: 'What the token opens: the WebSocket, or the event stream as `?access_token=`.' }) })
  .meta({ id: 'LiveToken', description: 'A token of a live session.' });

const named = <Name extends string>(name: Name) => ({ event: z.literal(name).meta({ description: 'The event; also `type`.' }) });
const seq = z.int().meta({ id: 'LiveSequence', description: 'From 1; the id of the event.' });
const utterance = z.int().meta({ description: 'The number of the utterance.' });
const text = z.string().meta({ description: 'The text.' });
const milliseconds = (what: string) => z.int().meta({ description: `${what}, in milliseconds of the session.` });

const liveWord = z.object({ start: startSeconds, end: endSeconds, text, confidence: z.number().optional().meta({ description: 'From 0 to 1, if known.' }) }).meta({ id: 'LiveWord', description: 'A word of a final.' });

/** The data of each event of a session's stream: the lasting messages of its protocol, and partials. */
export const liveStreamEvent = z
  .discriminatedUnion('event', [
    z
      .object({
        ...named('final'),
        seq,
        utterance,
        id: z.string().meta({ description: 'The id of the segment within the session.' }),
        start: startSeconds,
        end: endSeconds,
        text,
        confidence: z.number().optional().meta({ description: 'From 0 to 1, if known.' }),
        words: z.array(liveWord).meta({ description: 'Its words.' }),
        language: z.string().optional().meta({ description: 'The detected language (BCP 47).' }),
        endpoint: z.string().meta({ description: 'What ended it: `silence`, `length`, `finalize` or `end`.' }),
      })
      .meta({ id: 'LiveFinalEvent', description: 'An utterance. It does not change any more.' }),
    z
      .object({
        ...named('partial'),
        utterance,
        revision: z.int().meta({ description: 'Counts the partials of the utterance.' }),
        start: startSeconds,
        end: endSeconds,
        text,
        stable_chars: z.int().meta({ description: 'Characters at its start that will not change.' }),
      })
      .meta({ id: 'LivePartialEvent', description: 'What is being said, where this server has the connection.' }),
    z.object({ ...named('speech_started'), seq, at: seconds }).meta({ id: 'LiveSpeechStartedEvent', description: 'Speech began.' }),
    z.object({ ...named('speech_ended'), seq, at: seconds }).meta({ id: 'LiveSpeechEndedEvent', description: 'Speech ended.' }),
    z
      .object({ ...named('gap'), seq, from_ms: milliseconds('Its start'), to_ms: milliseconds('Its end'), reason: z.string().meta({ description: 'Why it is missing.', example: 'skipped' }) })
      .meta({ id: 'LiveGapEvent', description: 'Audio is missing.' }),
    z
      .object({ ...named('finished'), seq, transcription_id: jobId, audio_ms: z.int().meta({ description: 'Milliseconds of audio.' }) })
      .meta({ id: 'LiveFinishedEvent', description: 'The session has ended, and so does the stream.' }),
  ])
  .meta({ id: 'LiveStreamEvent', description: 'The `data` of an event of a session’s stream.' });
