import type { SpeakersNow } from '../transcripts/transcript-source.js';
import { withNames } from '../engine/speaker-mentions.js';

/** The present names of a transcript's speakers, and which of them were merged. */
export class SpeakerNames {
  static readonly none = new SpeakerNames({ speakers: [], merges: {} });
  readonly merges: SpeakersNow['merges'];
  private readonly names: ReadonlyMap<string, string>;

  constructor({ speakers, merges }: Pick<SpeakersNow, 'speakers' | 'merges'>) {
    this.merges = merges;
    this.names = new Map(speakers.map(({ speakerId, name }) => [speakerId, name]));
  }

  of(speakerId: string): string {
    return this.names.get(speakerId) ?? speakerId;
  }

  in(text: string): string {
    return withNames(text, (speakerId) => this.names.get(speakerId));
  }
}
