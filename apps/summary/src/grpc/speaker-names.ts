import type { SpeakersNow } from '../transcripts/transcript-source.js';
import { withNames } from '../engine/speaker-mentions.js';

/** The present names of a transcript's speakers, which of them were merged, and the revision of its text. */
export class SpeakerNames {
  static readonly none = new SpeakerNames({ speakers: [], merges: {} });
  readonly merges: SpeakersNow['merges'];
  /** 0: the recognised text. */
  readonly revision: number;
  private readonly names: ReadonlyMap<string, string>;

  constructor({ speakers, merges, revision = 0 }: Pick<SpeakersNow, 'speakers' | 'merges' | 'revision'>) {
    this.merges = merges;
    this.revision = revision;
    this.names = new Map(speakers.map(({ speakerId, name }) => [speakerId, name]));
  }

  of(speakerId: string): string {
    return this.names.get(speakerId) ?? speakerId;
  }

  in(text: string): string {
    return withNames(text, (speakerId) => this.names.get(speakerId));
  }
}
