import type { ServerMessageOf } from '@parlance/contracts';

/** The end of a connection: the code of its close, and the server's last `error` message if there was one. */
export interface ConnectionEnd {
  code: number;
  error?: ServerMessageOf<'error'>;
}

/** The session cannot be continued. */
export class LiveError extends Error {
  constructor(
    message: string,
    /** The `code` of the server's `error` message. */
    readonly code?: string,
  ) {
    super(message);
  }
}

/** Closes after which the session is as it was: https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1, and the server's own of a used token and of a defect. */
const RESUMABLE = new Set([1000, 1001, 1005, 1006, 1011, 1012, 1013, 4401, 4500]);

/** True when the client should connect again. 4401 says that the token of this connection was late; the next one gets a new token. */
export const isResumable = ({ code, error }: ConnectionEnd): boolean => code === 4401 || (error?.retryable ?? RESUMABLE.has(code));

export const endedBy = ({ code, error }: ConnectionEnd): LiveError =>
  error ? new LiveError(`${error.message} (${error.code}, request ${error.request_id})`, error.code) : new LiveError(`The server closed the connection (${code}).`);
