import { z } from 'zod';

/** The subprotocol of a live session's socket. The token is another one beside it: `token.<token>`. */
export const LIVE_PROTOCOL = 'parlance.v1';
export const LIVE_TOKEN_PREFIX = 'token.';

const seconds = (what: string) => z.number().describe(`${what}, in seconds from the start of the session`);
const milliseconds = (what: string) => z.int().nonnegative().describe(`${what}, in milliseconds`);
const sequence = z.int().positive().describe('Counts the lasting messages of the session from 1');
const utterance = z.int().positive().describe('Counts the utterances of the session from 1');

/** A word as in the segments of a transcript. */
const word = z.object({
  start: seconds('Its start'),
  end: seconds('Its end'),
  text: z.string(),
  confidence: z.number().min(0).max(1).optional().describe('Absent when the engine gives none'),
  raw: z.string().optional().describe('The words of the engine, where the text differs'),
  redacted: z.string().optional().describe('The policy of the words for which this one stands'),
  redacted_by: z.string().optional().describe('What found them: rules, or the language model'),
});

const limits = z.object({
  max_frame_bytes: z.int().positive().describe('Largest frame that is accepted, in bytes'),
  idle_ms: milliseconds('Time without audio or keepalive after which the session is closed'),
  max_session_ms: milliseconds('Longest session, by its audio'),
});

/** A text frame of a client. Audio is sent as binary frames, whose bytes count from the session's first one; empty frames are ignored. */
export const clientMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('keepalive') }).describe('Keeps the session open without audio. Answered by ack'),
  z.strictObject({ type: z.literal('finalize') }).describe('Ends the utterance that is being said'),
  z
    .strictObject({ type: z.literal('skip'), ms: z.int().positive().max(3_600_000).describe('Milliseconds of audio that the client left out, up to one hour') })
    .describe('Says that audio is missing. It counts as silence, and a gap is reported. Only of raw audio'),
  z.strictObject({ type: z.literal('finish') }).describe('Ends the session: everything that was received is recognized, then finished is sent'),
]);
export type ClientMessage = z.infer<typeof clientMessage>;

const ready = z
  .object({
    type: z.literal('ready'),
    session_id: z.string(),
    generation: z.int().positive().describe('Counts the connections of the session'),
    acknowledged_offset: z.int().nonnegative().describe('Bytes of the session that are stored: the client sends on from there'),
    last_seq: z.int().nonnegative().describe('The sequence of the last lasting message; 0 before the first one'),
    mode: z.enum(['native', 'local_agreement', 'endpointed']).describe('How the engine recognizes'),
    engine: z.string(),
    limits,
  })
  .describe('The first message of a connection. Lasting messages that the client did not see follow it');

const ack = z
  .object({
    type: z.literal('ack'),
    offset: z.int().nonnegative().describe('Bytes of the session that are stored; they need not be sent again'),
    audio_ms: milliseconds('Audio in these bytes, where that is known'),
    processed_ms: milliseconds('Audio that is recognized'),
    lag_ms: milliseconds('Audio that is stored and not recognized yet'),
    final_ms: milliseconds('Everything that was said before has its final'),
  })
  .describe('Sent after each second of audio at the latest, once it is stored, and once what was said before a finalize has its final');

const partial = z
  .object({
    type: z.literal('partial'),
    utterance,
    revision: z.int().positive().describe('Counts the partials of the utterance from 1'),
    start: seconds('Its start'),
    end: seconds('The end of what was recognized'),
    text: z.string(),
    stable_chars: z.int().nonnegative().describe('Characters at the start of the text that will not change before the final'),
  })
  .describe('What is being said, so far. It is not stored');

const final = z
  .object({
    type: z.literal('final'),
    seq: sequence,
    utterance,
    id: z.string().describe('Id of the segment within the session'),
    start: seconds('Its start'),
    end: seconds('Its end'),
    text: z.string(),
    confidence: z.number().min(0).max(1).optional(),
    words: z.array(word),
    language: z.string().optional().describe('BCP 47; where the engine detected one'),
    endpoint: z.enum(['silence', 'length', 'finalize', 'end']).describe('What ended the utterance'),
  })
  .describe('An utterance. It is sent once for each sequence and never changes');

const speechStarted = z.object({ type: z.literal('speech_started'), seq: sequence, at: seconds('The start of speech') }).describe('Speech began');
const speechEnded = z.object({ type: z.literal('speech_ended'), seq: sequence, at: seconds('The end of speech') }).describe('Speech paused');

const gap = z
  .object({ type: z.literal('gap'), seq: sequence, from_ms: milliseconds('Its start'), to_ms: milliseconds('Its end'), reason: z.enum(['skipped']) })
  .describe('Audio that is missing; the job has a warning about it');

const warning = z.object({ type: z.literal('warning'), code: z.string(), message: z.string() }).describe('Something that the session continues with');

const goAway = z
  .object({ type: z.literal('go_away'), reconnect_within_ms: milliseconds('Time until the server closes the connection') })
  .describe('The server is about to stop. The client connects again, and nothing is lost');

const finished = z
  .object({
    type: z.literal('finished'),
    seq: sequence,
    transcription_id: z.string().describe('The job, which continues as that of a file'),
    audio_ms: milliseconds('Audio of the session'),
  })
  .describe('The session has ended');

const error = z
  .object({
    type: z.literal('error'),
    code: z.string(),
    message: z.string(),
    retryable: z.boolean().describe('Whether the client should connect again'),
    retry_after_ms: milliseconds('Time to wait before that').optional(),
    request_id: z.string(),
  })
  .describe('Sent before the server closes the connection with an error. The close code is 4000 more than the HTTP status of the same error');

/** Messages that are stored under a sequence: a client that connects again and a follower get each of them. */
const lastingMessage = z.discriminatedUnion('type', [final, speechStarted, speechEnded, gap, finished]);
export type LastingMessage = z.infer<typeof lastingMessage>;

/** A text frame of the server. */
export const serverMessage = z.discriminatedUnion('type', [ready, ack, partial, final, speechStarted, speechEnded, gap, warning, goAway, finished, error]);
export type ServerMessage = z.infer<typeof serverMessage>;
export type ServerMessageOf<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;
