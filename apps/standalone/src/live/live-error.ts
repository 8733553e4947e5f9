import type { ServerMessageOf } from '@parlance/contracts';

/** How a connection ended: the code of its close, and the server's last `error` message if there was one. */
export interface ConnectionEnd {
  code: number;
  error?: ServerMessageOf<'error'>;
}

/** The session cannot go on. */
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

/** Whether the client connects again. A token is used once, and each connection gets a new one: that of this one was late. */
export const isResumable = ({ code, error }: ConnectionEnd): boolean => code === 4401 || (error?.retryable ?? RESUMABLE.has(code));

export const endedBy = ({ code, error }: ConnectionEnd): LiveError =>
  error ? new LiveError(`${error.message} (${error.code}, request ${error.request_id})`, error.code) : new LiveError(`The server closed the connection (${code}).`);
