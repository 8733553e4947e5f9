import { roundToMs, type Segment, type Speaker, type SpeakerMerges } from '@parlance/transcript';

type SpeakerOf = (segment: Segment) => string | undefined;

/** Seconds by which speakers speak more, or less, after a change of segments. */
export class TalkTimes {
  private readonly seconds = new Map<string, number>();

  constructor(private readonly speakerOf: SpeakerOf) {}

  change(before: readonly Segment[], after: readonly Segment[]): void {
    for (const segment of before) this.add(segment, -1);
    for (const segment of after) this.add(segment, 1);
  }

  /** @param merges the present ones: speakers may have been merged since the segments were read */
  appliedTo(speakers: readonly Speaker[], merges: SpeakerMerges = {}): Speaker[] {
    const present = new Map<string, number>();
    for (const [id, seconds] of this.seconds) present.set(merges[id] ?? id, (present.get(merges[id] ?? id) ?? 0) + seconds);
    return speakers.map((speaker) => ({ ...speaker, talkTime: Math.max(0, roundToMs(speaker.talkTime + (present.get(speaker.speakerId) ?? 0))) }));
  }

  private add(segment: Segment, sign: 1 | -1): void {
    const speakerId = this.speakerOf(segment);
    if (speakerId !== undefined) this.seconds.set(speakerId, (this.seconds.get(speakerId) ?? 0) + sign * (segment.end - segment.start));
  }
}
