import { events } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import type { Document, DocumentCollection } from '@parlance/storage';
import type { TranscriptSource, VersionedTranscript } from '../transcripts/transcript-source.js';
import type { HighlightsDocument, SummaryDocument, WorkDocument } from '../work/work-document.js';
import { relocated } from './relocate-evidence.js';

export interface SpeakerChangesParts {
  summaries: DocumentCollection<SummaryDocument>;
  highlights: DocumentCollection<HighlightsDocument>;
  source: TranscriptSource;
}

interface JobRef {
  jobId: string;
  accountId: string;
}

/** What a change of the speakers means for what was written before it. Names and merges are looked up whenever something is read. */
export class SpeakerChanges {
  constructor(private readonly parts: SpeakerChangesParts) {}

  async changed({ jobId, accountId, change }: events.TranscriptSpeakersChanged, signal: AbortSignal): Promise<void> {
    if (change === events.SpeakersChange.SPEAKERS_CHANGE_FOUND) await this.keepUp({ jobId, accountId }, signal);
  }

  /** What has evidence of an earlier version of the transcript has it moved to where the words are now. */
  async keepUp(ref: JobRef, signal: AbortSignal): Promise<void> {
    try {
      const { version } = await this.parts.source.speakers(ref);
      if (await this.isAnyBehind(ref.jobId, version)) await this.relocate(ref, signal);
    } catch (error) {
      // Erased meanwhile.
      if (!(error instanceof AppError) || error.kind !== 'not_found') throw error;
    }
  }

  private async relocate(ref: JobRef, signal: AbortSignal): Promise<void> {
    const { summaries, highlights, source } = this.parts;
    const job = await source.job(ref, signal);
    if (!job) return;
    const transcript = await source.read(job, signal);
    for await (const { id } of this.summariesOf(ref.jobId)) await summaries.update(id, moved(transcript));
    await highlights.update(ref.jobId, moved(transcript));
  }

  private async isAnyBehind(jobId: string, version: number): Promise<boolean> {
    const highlights = (await this.parts.highlights.get(jobId))?.document;
    if (highlights && isBehind(highlights, version)) return true;
    for await (const summary of this.summariesOf(jobId)) if (isBehind(summary, version)) return true;
    return false;
  }

  private async *summariesOf(jobId: string): AsyncGenerator<SummaryDocument> {
    let cursor: string | undefined;
    do {
      const page = await this.parts.summaries.find({ where: { jobId }, limit: 100, ...(cursor !== undefined && { cursor }) });
      for (const { document } of page.items) yield document;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
}

const isBehind = ({ result, transcriptVersion = 0 }: WorkDocument<unknown>, version: number): boolean => result !== undefined && transcriptVersion < version;

const moved =
  <D extends WorkDocument<unknown> & Document>(transcript: VersionedTranscript) =>
  (current: D | undefined): { document: D } | undefined =>
    current && isBehind(current, transcript.version)
      ? { document: { ...current, result: relocated(current.result, transcript), transcriptVersion: transcript.version } }
      : undefined;
