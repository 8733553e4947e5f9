export interface SpeakerBounds {
  minSpeakers?: number | undefined;
  maxSpeakers?: number | undefined;
}

/** What to tell the job's owner when the voices heard are fewer or more than asked for. */
export function boundsWarnings(speakerCount: number, { minSpeakers = 0, maxSpeakers = Infinity }: SpeakerBounds): { code: string; message: string }[] {
  if (speakerCount < minSpeakers) {
    return [{ code: 'speakers_below_minimum', message: `${minSpeakers} speakers or more were asked for, and ${describe(speakerCount)} could be told apart.` }];
  }
  if (speakerCount > maxSpeakers) {
    return [{ code: 'speakers_above_maximum', message: `${maxSpeakers} speakers or fewer were asked for, and ${describe(speakerCount)} were told apart.` }];
  }
  return [];
}

const describe = (count: number): string => (count === 0 ? 'none' : String(count));
