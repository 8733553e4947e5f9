/** A WebSocket close code of a live session: 4000 more than the HTTP status of the same error, but for the three of RFC 6455. */
interface CloseCode {
  code: number;
  meaning: string;
  /** True when the client can connect again with a new token and continue. */
  retryable: boolean;
}

/** Every close code that the server sends. Each but 1000 follows an `error` message. */
export const LIVE_CLOSE_CODES: readonly CloseCode[] = [
  { code: 1000, meaning: 'The session is finished. `finished` came before', retryable: false },
  { code: 1012, meaning: 'The server stops or had a conflict. Connect again at once', retryable: true },
  { code: 1013, meaning: 'No capacity, or the client does not read. Connect again after `retry_after_ms`', retryable: true },
  { code: 4400, meaning: 'A message that is no message of the protocol', retryable: false },
  { code: 4401, meaning: 'The token is wrong, used or expired, or its key was revoked', retryable: false },
  { code: 4403, meaning: 'The key lacks the scope, or the origin of the page is not allowed', retryable: false },
  { code: 4404, meaning: 'There is no such session', retryable: false },
  { code: 4408, meaning: 'No audio and no `keepalive` for the idle time. The session can be resumed', retryable: true },
  { code: 4409, meaning: 'A newer connection has taken the session over', retryable: false },
  { code: 4410, meaning: 'The session has ended', retryable: false },
  { code: 4413, meaning: 'A frame is larger than `limits.max_frame_bytes`, or the session longer than `limits.max_session_ms`, which finishes it', retryable: false },
  { code: 4415, meaning: 'The audio cannot be decoded', retryable: false },
  { code: 4422, meaning: 'A parameter of the address is wrong', retryable: false },
  { code: 4429, meaning: 'A limit of the plan or the rate of messages is exceeded', retryable: true },
  { code: 4500, meaning: 'An internal error', retryable: true },
];
