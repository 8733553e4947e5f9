import { z } from 'zod';
import type { Schemas } from './client.js';
import { clock } from './clock.js';
import { ToolError } from './failures.js';

export const SEGMENT = z.object({ segment_id: z.string(), start: z.number(), end: z.number(), speaker: z.string().optional(), text: z.string() });

type Segment = z.output<typeof SEGMENT>;

export interface Range {
  /** Seconds. Segments that overlap the range belong to it. */
  from?: number;
  to?: number;
  /** The first segment. */
  segmentId?: string;
  maxChars: number;
}

export interface TranscriptPart {
  segments: Segment[];
  /** The first segment that found no room. */
  next: Segment | undefined;
}

/** Segments of a range, as many as fit, and at least one. @throws ToolError when there is no such segment */
export function partOf({ segments, speakers }: Schemas['Transcript'], { from = 0, to = Infinity, segmentId, maxChars }: Range): TranscriptPart {
  const names = new Map(speakers.map(({ speaker_id: id, name }) => [id, name]));
  const first = segmentId === undefined ? 0 : segments.findIndex(({ segment_id: id }) => id === segmentId);
  if (first === -1) throw new ToolError(`The transcript has no segment ${segmentId}: it was edited, or the id is of another recording. Read by time instead.`);
  const part: Segment[] = [];
  let chars = 0;
  for (const { segment_id, start, end, speaker_id, text } of segments.slice(first)) {
    if (end <= from || start >= to) continue;
    const speaker = speaker_id === undefined ? undefined : (names.get(speaker_id) ?? speaker_id);
    const segment = { segment_id, start, end, ...(speaker !== undefined && { speaker }), text };
    chars += lineOf(segment).length + 1;
    if (chars > maxChars && part.length > 0) return { segments: part, next: segment };
    part.push(segment);
  }
  return { segments: part, next: undefined };
}

/** A segment as `[0:04:09] Ada: Good morning.` */
export function lineOf({ start, speaker, text }: Segment): string {
  return `[${clock(start)}] ${speaker === undefined ? '' : `${speaker}: `}${text}`;
}

/** Says where a part ends and which call reads the next one. */
export function continuation(jobId: string, next: Segment | undefined, to?: number): string {
  if (!next) return '';
  const end = to === undefined ? '' : `, to: ${to}`;
  return `\n\n(The transcript continues at ${clock(next.start)}. Read on with read_transcript, job_id: ${jobId}, segment_id: ${next.segment_id}${end}.)`;
}
