import type { transcripts, TranscriptService } from '@parlance/contracts';
import { toAppError } from '@parlance/platform';
import type { JobRef } from '../transcriptions/job-reader.js';

type Place = Pick<transcripts.Segment, 'segmentId' | 'start' | 'end' | 'channel'>;

/** Finds the segments of a transcript that hold what a provisional segment says, by time and channel. Holds the ids and times of the transcript alone. */
export class SegmentIds {
  /** The latest end of each place and all before it: rising, although segments of several channels overlap. */
  private readonly latestEnds: readonly number[];

  /** @param places in order of their start */
  constructor(private readonly places: readonly Place[]) {
    let latest = 0;
    this.latestEnds = places.map(({ end }) => (latest = Math.max(latest, end)));
  }

  static async of(transcripts: TranscriptService, ref: JobRef): Promise<SegmentIds> {
    const places: Place[] = [];
    try {
      for await (const { segments } of transcripts.getTranscript({ ...ref, includeWords: false })) {
        for (const { segmentId, start, end, channel } of segments) places.push({ segmentId, start, end, channel });
      }
    } catch (error) {
      // The job was deleted meanwhile.
      if (toAppError(error).kind !== 'not_found') throw error;
    }
    return new SegmentIds(places);
  }

  within({ start, end, channel }: Pick<Place, 'start' | 'end' | 'channel'>): string[] {
    const overlapping: string[] = [];
    for (let index = this.firstEndingAfter(start); index < this.places.length; index++) {
      const place = this.places[index];
      if (!place || place.start >= end) break;
      if (place.channel === channel && place.end > start) overlapping.push(place.segmentId);
    }
    return overlapping;
  }

  private firstEndingAfter(time: number): number {
    let [low, high] = [0, this.places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.latestEnds[middle] ?? 0) > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
