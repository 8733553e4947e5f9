import type { ErrorEntry } from './error-entry.js';

/** Codes of live sessions. The close code of a session's socket is 4000 more than the HTTP status. */
export const LIVE_ERRORS = {
  live_message_invalid: {
    kind: 'invalid', status: 400,
    problem: { title: 'The message is not valid', text: 'A text frame of a live session was not one of the JSON messages of its protocol.' },
  },
  live_token_invalid: {
    kind: 'unauthenticated',
    problem: { title: 'The token is not valid', text: 'The token is wrong, was used, or has expired: each is for one connection within 60 seconds. `POST /api/v1/live/{id}/tokens` returns a new one.' },
  },
  live_idle: {
    kind: 'timeout', status: 408, retryable: true,
    problem: { title: 'The session was idle', text: 'Neither audio nor `keepalive` arrived for the time `idle_ms`. Connect again to continue.' },
  },
  live_taken_over: {
    kind: 'conflict', retryable: false,
    problem: { title: 'Another connection took over', text: 'The live session has a newer connection, which has it now.' },
  },
  live_ended: {
    kind: 'conflict', status: 410,
    problem: { title: 'The session has ended', text: 'The session was finished or canceled, or the time to connect again was over. Everything that was acknowledged is in its job.' },
  },
  live_frame_too_large: {
    kind: 'too_large',
    problem: { title: 'The frame is too large', text: 'A frame may have up to `max_frame_bytes`. Send the audio in smaller frames.' },
  },
  too_many_live_sessions: {
    kind: 'rate_limited',
    problem: { title: 'Too many live sessions', text: 'The account has the maximum number of open live sessions. End one, and send the same request again.' },
  },
  no_live_capacity: {
    kind: 'unavailable', otherKinds: ['rate_limited'],
    problem: { title: 'No room for a further session', text: 'The server recognizes as many live sessions as it can. Try again after the time in `Retry-After`; nothing that was acknowledged is lost.' },
  },
  live_client_slow: {
    kind: 'unavailable',
    problem: { title: 'The client does not read', text: 'Messages of the live session waited too long to be read. Connect again; messages that were missed are sent again.' },
  },
  live_too_long: {
    kind: 'too_large',
    problem: { title: 'The session is too long', text: 'The session has reached `max_session_ms`. It was finished with all of its audio; open another one to continue.' },
  },
  live_origin_refused: {
    kind: 'forbidden',
    problem: { title: 'The origin is not allowed', text: 'Pages of the server itself and of the origins in `CORS_ORIGINS` may open the socket of a live session.' },
  },
  live_upgrade_required: {
    kind: 'invalid', status: 426,
    problem: { title: 'A WebSocket is required', text: 'This address is the socket of a live session: connect to it with a WebSocket client.' },
  },
} as const satisfies Record<string, ErrorEntry>;
