import { Inject, Injectable } from '@nestjs/common';
import { events } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import type { JobRef } from '@parlance/stage';
import type { Document } from '@parlance/storage';
import { QuoteFinder, type Evidence } from '@parlance/text-analysis';
import { TranscriptSource, type VersionedTranscript } from '../transcripts/transcript-source.js';
import { replacedEntities } from '../work/entity-places.js';
import type { WorkDocument } from '../work/work-document.js';
import { WorkDocuments } from '../work/work-documents.js';

/** Updates summaries and highlights after a change of speakers. Names and merges are not stored but looked up when a result is read. */
@Injectable()
export class SpeakerChanges {
  constructor(
    @Inject(WorkDocuments) private readonly documents: WorkDocuments,
    @Inject(TranscriptSource) private readonly source: TranscriptSource,
  ) {}

  async changed({ jobId, accountId, change }: events.TranscriptSpeakersChanged, signal: AbortSignal): Promise<void> {
    if (change === events.SpeakersChange.SPEAKERS_CHANGE_FOUND) await this.relocateEvidence({ jobId, accountId }, signal);
  }

  /** Moves evidence that was found in an earlier version of the transcript to the present place of its words. */
  async relocateEvidence(ref: JobRef, signal: AbortSignal): Promise<void> {
    try {
      const { version } = await this.source.speakers(ref);
      if (await this.isAnyBehind(ref.jobId, version)) await this.relocate(ref, signal);
    } catch (error) {
      // Erased meanwhile.
      if (!(error instanceof AppError) || error.kind !== 'not_found') throw error;
    }
  }

  private async relocate(ref: JobRef, signal: AbortSignal): Promise<void> {
    const { summaries, highlights, chapters } = this.documents;
    const job = await this.source.job(ref, signal);
    if (!job) return;
    const transcript = await this.source.read(job, signal);
    for await (const { document } of summaries.all({ where: { jobId: ref.jobId } })) await summaries.update(document.id, moved(transcript));
    await highlights.update(ref.jobId, moved(transcript));
    await chapters.update(ref.jobId, moved(transcript));
    await this.replaceEntities(ref, transcript, signal);
  }

  private async replaceEntities(ref: JobRef, transcript: VersionedTranscript, signal: AbortSignal): Promise<void> {
    const found = (await this.documents.entities.get(ref.jobId))?.document;
    if (!found?.result || !isBehind(found, transcript.version)) return;
    const entities = await replacedEntities(found.result.entities, this.source.segments(ref, transcript, signal), signal);
    await this.documents.entities.update(ref.jobId, (current) =>
      current?.result && isBehind(current, transcript.version) ? { document: { ...current, result: { ...current.result, entities }, transcriptVersion: transcript.version } } : undefined,
    );
  }

  private async isAnyBehind(jobId: string, version: number): Promise<boolean> {
    const { highlights, chapters, entities } = this.documents;
    for (const { document } of [await highlights.get(jobId), await chapters.get(jobId), await entities.get(jobId)].filter((found) => found !== undefined)) if (isBehind(document, version)) return true;
    for await (const { document } of this.documents.summaries.all({ where: { jobId } })) if (isBehind(document, version)) return true;
    return false;
  }
}

const isBehind = ({ result, transcriptVersion = 0 }: WorkDocument<unknown>, version: number): boolean => result !== undefined && transcriptVersion < version;

const moved =
  <D extends WorkDocument<unknown> & Document>(transcript: VersionedTranscript) =>
  (current: D | undefined): { document: D } | undefined =>
    current && isBehind(current, transcript.version)
      ? { document: { ...current, result: relocated(current.result, transcript), transcriptVersion: transcript.version } }
      : undefined;

/**
 * A result whose evidence points into the present transcript. Segments are split when speakers are assigned after the transcript was
 * completed. Words do not change, so every quote is found again; one that is not keeps its place.
 */
function relocated<Result>(result: Result, { lines }: Pick<VersionedTranscript, 'lines'>): Result {
  const finder = new QuoteFinder(lines);
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved);
    if (typeof value !== 'object' || value === null) return value;
    if (isEvidence(value)) return finder.find(value.quote, value.segmentId) ?? value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, moved(member)]));
  };
  return moved(result) as Result;
}

const isEvidence = (value: object): value is Evidence => 'segmentId' in value && 'quote' in value;
