import type { AppError } from '@parlance/platform';

/** The socket of a session as its connection uses it: a WebSocket, or a translator to another vendor's protocol in front of one. */
export interface SessionSocket {
  readonly OPEN: number;
  readonly readyState: number;
  /** Bytes that the client has not read. */
  readonly bufferedAmount: number;
  readonly isPaused: boolean;
  pause(): void;
  resume(): void;
  send(text: string, onSent?: () => void): void;
  close(code?: number, reason?: string): void;
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): unknown;
  on(event: 'ping' | 'oversized', listener: () => void): unknown;
  /** The client does not read, or says too much. */
  on(event: 'refused', listener: (error: AppError) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}
