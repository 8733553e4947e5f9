import type { ClientMessage, ServerMessage } from '../live/live-messages.js';

type ExamplesOf<M extends { type: string }> = { [T in M['type']]: Extract<M, { type: T }> };

/** One message of each type that a client sends. */
export const CLIENT_EXAMPLES: ExamplesOf<ClientMessage> = {
  keepalive: { type: 'keepalive' },
  finalize: { type: 'finalize' },
  skip: { type: 'skip', ms: 1500 },
  finish: { type: 'finish' },
};

/** One message of each type that the server sends: a session of four seconds, resumed once. */
export const SERVER_EXAMPLES: ExamplesOf<ServerMessage> = {
  ready: {
    type: 'ready',
    session_id: 'job_01JC8Y5Q6A3B9C7D1E5F2G8H4J',
    generation: 2,
    acknowledged_offset: 64_000,
    last_seq: 3,
    mode: 'local_agreement',
    engine: 'pocketsphinx',
    limits: { max_frame_bytes: 1_048_576, idle_ms: 60_000, max_session_ms: 14_400_000 },
  },
  ack: { type: 'ack', offset: 96_000, audio_ms: 3000, processed_ms: 2600, lag_ms: 400, final_ms: 1900 },
  partial: { type: 'partial', utterance: 1, revision: 2, start: 0.42, end: 1.6, text: 'the meeting is', stable_chars: 11 },
  final: {
    type: 'final',
    seq: 3,
    utterance: 1,
    id: 'u1',
    start: 0.42,
    end: 1.9,
    text: 'The meeting is open.',
    confidence: 0.91,
    words: [
      { start: 0.42, end: 0.6, text: 'The', confidence: 0.95 },
      { start: 0.6, end: 1.1, text: 'meeting', confidence: 0.93 },
      { start: 1.1, end: 1.4, text: 'is', confidence: 0.9 },
      { start: 1.4, end: 1.9, text: 'open.', confidence: 0.86 },
    ],
    language: 'en',
    endpoint: 'silence',
  },
  speech_started: { type: 'speech_started', seq: 1, at: 0.4 },
  speech_ended: { type: 'speech_ended', seq: 2, at: 1.9 },
  gap: { type: 'gap', seq: 4, from_ms: 2500, to_ms: 4000, reason: 'skipped' },
  warning: { type: 'warning', code: 'partials_paused', message: 'The engine is too slow for partials. Finals continue.' },
  go_away: { type: 'go_away', reconnect_within_ms: 10_000 },
  finished: { type: 'finished', seq: 5, transcription_id: 'job_01JC8Y5Q6A3B9C7D1E5F2G8H4J', audio_ms: 4000 },
  error: {
    type: 'error',
    code: 'no_live_capacity',
    message: 'No worker has a free place. Try again.',
    retryable: true,
    retry_after_ms: 2000,
    request_id: 'req_01JC8Y5Q6A3B9C7D1E5F2G8H4J',
  },
};
