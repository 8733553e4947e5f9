import { z } from 'zod';
import { roundToMs } from '../timecodes.js';
import type { Speaker } from '../transcript.js';

/** A stretch in which one person speaks, in seconds of the media; those of different people may overlap. */
export interface SpeakerTurn {
  start: number;
  end: number;
  /** `S1`, `S2`, … in the order of first speaking. */
  speakerId: string;
  confidence?: number | undefined;
}

/** The joint between diarization and transcription, stored as JSON under `<account>/<job>/speakers/`. */
export interface SpeakerTurns {
  jobId: string;
  /** In order of start. */
  turns: SpeakerTurn[];
}

const schema: z.ZodType<SpeakerTurns> = z.object({
  jobId: z.string(),
  turns: z.array(z.object({ start: z.number(), end: z.number(), speakerId: z.string(), confidence: z.number().optional() })),
});

/** @throws ZodError, SyntaxError when it is something else. */
export const parseSpeakerTurns = (json: string): SpeakerTurns => schema.parse(JSON.parse(json));

/** Lists the speakers of the turns, in order of first appearance, with their default names. */
export function speakersOf(turns: readonly SpeakerTurn[]): Speaker[] {
  const talkTimes = new Map<string, number>();
  for (const { speakerId, start, end } of turns) talkTimes.set(speakerId, (talkTimes.get(speakerId) ?? 0) + end - start);
  return [...talkTimes].map(([speakerId, talkTime], index) => ({ speakerId, name: `Speaker ${index + 1}`, talkTime: roundToMs(talkTime) }));
}
