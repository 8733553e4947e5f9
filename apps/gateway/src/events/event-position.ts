/** How far a client has read a job's events; the id of an event is the position after it. */
export interface EventPosition {
  /** Of the job whose state was last told. */
  version: number;
  /** The chunk whose segments come next, */
  chunk: number;
  /** and how many of the segments from there on were told already. */
  segments: number;
  /** Whether `done` was told. */
  done: boolean;
}

export const START: EventPosition = { version: 0, chunk: 0, segments: 0, done: false };

export const positionText = ({ version, chunk, segments, done }: EventPosition): string =>
  `${version}.${chunk}.${segments}${done ? '.done' : ''}`;

/** The position in that job; one that it has not come to was never told, and means from the start. */
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
