/** The position up to which a client has read a job's events; the id of an event is the position after it. */
export interface EventPosition {
  /** The version of the job whose state was sent last. */
  version: number;
  /** The chunk whose segments are sent next. */
  chunk: number;
  /** The number of segments from that chunk on that were sent already. */
  segments: number;
  /** True when `done` was sent. */
  done: boolean;
}

export const START: EventPosition = { version: 0, chunk: 0, segments: 0, done: false };

export const positionText = ({ version, chunk, segments, done }: EventPosition): string =>
  `${version}.${chunk}.${segments}${done ? '.done' : ''}`;

/** Returns the position in that job; a position that the job has not reached was never sent, and means the start. */
export function positionWithin(position: EventPosition, { version, chunksTotal }: { version: number; chunksTotal: number }): EventPosition {
  // After a retry the chunks may not be known yet.
  const isAhead = position.version > version || (chunksTotal > 0 && position.chunk > chunksTotal);
  return isAhead ? START : position;
}

/** From Last-Event-ID; one that is not ours means from the start. */
export function parsePosition(text: string | undefined): EventPosition {
  const [, version, chunk, segments, done] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(\.done)?$/.exec(text ?? '') ?? [];
  if (version === undefined) return START;
  return { version: Number(version), chunk: Number(chunk), segments: Number(segments), done: done !== undefined };
}
