import { mergedSegment, newWordId, rewordedSegment, splitIndex, splitSegment, withSpeaker, type Segment } from '@parlance/transcript';
import { SEGMENTS_PER_PAGE } from '../transcript/transcript-documents.js';
import { OperationRefused, type SegmentOperation } from './segment-operation.js';

interface DraftPage {
  before: Segment[];
  after: Segment[];
}

interface Place {
  page: number;
  index: number;
  segment: Segment;
}

/** The transcript that is edited. */
interface DraftSource {
  pageCount: number;
  /** The revision that is being made. */
  revision: number;
  /** Number of segments that were split off so far. */
  splits: number;
  /** Speakers that segments can be given. */
  speakerIds: ReadonlySet<string>;
  /** The present speaker of a segment, after merges of speakers. */
  speakerOf(segment: Segment): string | undefined;
  load(page: number): Promise<Segment[]>;
}

/** The pages of a transcript while operations are applied to them. Pages are loaded when an operation needs them. */
export class TranscriptDraft {
  private readonly pages = new Map<number, DraftPage>();
  private newWords = 0;
  /** Number of segments that were split off, with those of earlier revisions. */
  splits: number;

  constructor(private readonly source: DraftSource) {
    this.splits = source.splits;
  }

  /** Pages that operations have changed, in order. */
  changedPages(): ({ page: number } & DraftPage)[] {
    const changed = [...this.pages].filter(([, { before, after }]) => before.length !== after.length || after.some((segment, index) => segment !== before[index]));
    return changed.map(([page, states]) => ({ page, ...states })).toSorted((one, other) => one.page - other.page);
  }

  /** @throws OperationRefused */
  async apply(operation: SegmentOperation): Promise<void> {
    switch (operation.kind) {
      case 'edit':
        return this.edit(operation);
      case 'split':
        return this.split(operation);
      case 'merge':
        return this.merge(operation.segmentIds);
      case 'assign_speaker':
        for (const [nth, id] of operation.segmentIds.entries()) this.assign(await this.find(id, `segment_ids/${nth}`), operation.speakerId);
        return;
      case 'delete':
        return this.put(await this.find(operation.segmentId), []);
    }
  }

  /** Writes a segment with another text, or removes it when the text is empty. */
  reword(place: Place, text: string): void {
    const { segment } = place;
    if (text.trim() === '') return this.put(place, []);
    if (text !== segment.text) this.put(place, [rewordedSegment(segment, text, () => this.nextWordId(segment.segmentId))]);
  }

  /** Calls back with each segment of a page, from the last to the first, so that the place of the others stays. */
  async eachOf(page: number, change: (place: Place) => Promise<void>): Promise<void> {
    const { after } = await this.pageAt(page);
    for (let index = after.length - 1; index >= 0; index--) await change({ page, index, segment: after[index] as Segment });
  }

  /** Forgets a page whose changes are stored. */
  release(page: number): void {
    this.pages.delete(page);
  }

  private async edit({ segmentId, text, speakerId }: Extract<SegmentOperation, { kind: 'edit' }>): Promise<void> {
    const place = await this.find(segmentId);
    if (text !== undefined) this.reword(place, text);
    if (speakerId !== undefined) this.assign(await this.find(segmentId), speakerId);
  }

  private assign(place: Place, speakerId: string): void {
    if (!this.source.speakerIds.has(speakerId)) throw new OperationRefused('speaker_id', 'not_found', `The transcript has no speaker ${speakerId}.`);
    if (this.source.speakerOf(place.segment) !== speakerId) this.put(place, [withSpeaker(place.segment, speakerId)]);
  }

  private async split({ segmentId, point }: Extract<SegmentOperation, { kind: 'split' }>): Promise<void> {
    const place = await this.find(segmentId);
    const index = splitIndex(place.segment, point);
    const field = 'wordId' in point ? 'word_id' : 'time';
    if (index === undefined) throw new OperationRefused(field, 'invalid_value', 'A segment is split within: both parts must have words.');
    this.splits++;
    const [root = segmentId] = segmentId.split('-');
    this.put(place, splitSegment(place.segment, index, `${root}-${this.splits}`));
  }

  private async merge(segmentIds: readonly string[]): Promise<void> {
    const [firstId = '', ...otherIds] = segmentIds;
    const first = await this.find(firstId, 'segment_ids/0');
    const segments: [Segment, ...Segment[]] = [first.segment];
    for (const [nth, id] of otherIds.entries()) {
      const field = `segment_ids/${nth + 1}`;
      const next = await this.find(id, field);
      if ((await this.following(first))?.segmentId !== id) throw new OperationRefused(field, 'invalid_value', 'Merged segments must follow one another in the transcript.');
      if (next.segment.channel !== first.segment.channel) throw new OperationRefused(field, 'invalid_value', 'Merged segments must be of one channel.');
      segments.push(next.segment);
      this.put(next, []);
    }
    this.put(first, [mergedSegment(segments)]);
  }

  private async following({ page, index }: Place): Promise<Segment | undefined> {
    const next = (await this.pageAt(page)).after[index + 1];
    if (next) return next;
    for (let later = page + 1; later < this.source.pageCount; later++) {
      const [segment] = (await this.pageAt(later)).after;
      if (segment) return segment;
    }
    return undefined;
  }

  /** Segments never leave their page, so that the number in an id says where to look. */
  private async find(segmentId: string, field = 'segment_id'): Promise<Place> {
    const page = pageOf(segmentId);
    if (page !== undefined && page < this.source.pageCount) {
      const { after } = await this.pageAt(page);
      const index = after.findIndex((segment) => segment.segmentId === segmentId);
      const segment = after[index];
      if (segment) return { page, index, segment };
    }
    throw new OperationRefused(field, 'not_found', `The transcript has no segment ${segmentId}.`);
  }

  private put({ page, index }: Place, segments: readonly Segment[]): void {
    this.pages.get(page)?.after.splice(index, 1, ...segments);
  }

  private async pageAt(page: number): Promise<DraftPage> {
    const known = this.pages.get(page);
    if (known) return known;
    const before = await this.source.load(page);
    const loaded = { before, after: [...before] };
    this.pages.set(page, loaded);
    return loaded;
  }

  private nextWordId(segmentId: string): string {
    this.newWords++;
    return newWordId(segmentId, this.source.revision, this.newWords);
  }
}

/** The page of a segment of the recognised text, and of those that were split off it; undefined for what is no id of a segment. */
export function pageOf(segmentId: string): number | undefined {
  const [, number] = /^seg_(\d{6,9})(?:[_-]|$)/.exec(segmentId) ?? [];
  return number === undefined ? undefined : Math.max(0, Math.floor((Number(number) - 1) / SEGMENTS_PER_PAGE));
}
