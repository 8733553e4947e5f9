export interface SpeakerBounds {
  minSpeakers?: number | undefined;
  maxSpeakers?: number | undefined;
}

/** Returns the warnings for the job's owner when fewer or more voices were detected than requested. */
export function boundsWarnings(speakerCount: number, { minSpeakers = 0, maxSpeakers = Infinity }: SpeakerBounds): { code: string; message: string }[] {
  if (speakerCount < minSpeakers) {
    return [{ code: 'speakers_below_minimum', message: `At least ${minSpeakers} speakers were expected, but ${describe(speakerCount)} could be detected.` }];
  }
  if (speakerCount > maxSpeakers) {
    return [{ code: 'speakers_above_maximum', message: `At most ${maxSpeakers} speakers were expected, but ${describe(speakerCount)} were detected.` }];
  }
  return [];
}

const describe = (count: number): string => (count === 0 ? 'none' : String(count));
