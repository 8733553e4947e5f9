import type { ClientMessage, ServerMessage } from '@parlance/contracts';

/** The end of a connection. */
export interface Closing {
  code: number;
  reason: string;
}

/** The form of the messages on the socket of a session. */
export interface LiveProtocol {
  /** False: a client that is gone cannot connect again, so the session is finished then. */
  readonly canResume: boolean;
  /** The frames of a message; none for a message that the client does not read. */
  write(message: ServerMessage): readonly string[];
  /** A text frame, parsed. @throws AppError live_message_invalid */
  read(json: unknown): ClientMessage;
  /** A binary frame that has arrived. @returns what it means beside its audio */
  onAudio(bytes: Buffer): ClientMessage | undefined;
  closing(error: unknown): Closing;
}
