import { Inject, Injectable } from '@nestjs/common';
import type { transcription } from '@parlance/contracts';
import type { TextEmbedder } from '@parlance/engines';
import { primaryLanguage } from '@parlance/languages';
import { AppError } from '@parlance/platform';
import type { Passage, SearchIndex } from '@parlance/search-index';
import { SEARCH_INDEX } from '../searching/search-index.provider.js';
import type { IndexedPassages } from './indexed-job.js';
import { passagesOf } from './passages.js';
import { withProject } from './project-pair.js';
import { SearchLedger } from './search-ledger.js';
import { TEXT_EMBEDDER } from './text-embedder.provider.js';
import { TranscriptSource, type JobRef, type OpenedTranscript } from './transcript-source.js';

/** Attempts to index a transcript whose speakers change meanwhile, before the task is tried again. */
const TRIES = 3;

/** Puts a transcript into the index in its present form. Idempotent. */
@Injectable()
export class TranscriptIndexer {
  constructor(
    @Inject(SEARCH_INDEX) private readonly searchIndex: SearchIndex,
    @Inject(TEXT_EMBEDDER) private readonly embedder: TextEmbedder,
    @Inject(TranscriptSource) private readonly source: TranscriptSource,
    @Inject(SearchLedger) private readonly ledger: Pick<SearchLedger, 'isErased'>,
  ) {}

  /**
   * @param byMeaning false to leave the embeddings out
   * @returns undefined when the job is gone, or not wanted any more
   */
  async index(ref: JobRef, signal: AbortSignal, byMeaning = true): Promise<IndexedPassages | undefined> {
    for (let tries = 0; tries < TRIES; tries++) {
      const indexed = await this.indexOnce(ref, signal, byMeaning);
      if (indexed !== 'outdated') return indexed;
    }
    throw new AppError({ kind: 'unavailable', code: 'transcript_changing', message: 'The transcript changed while it was indexed.', retryable: true });
  }

  private async indexOnce(ref: JobRef, signal: AbortSignal, byMeaning: boolean): Promise<IndexedPassages | 'outdated' | undefined> {
    const { searchIndex, source, embedder } = this;
    const job = await source.job(ref, signal);
    if (!job?.createdAt) return undefined;
    const opened = await source.open(ref, signal);
    const isEmbedded = byMeaning && knowsLanguage(embedder, opened.header.language);
    const passages = await this.passages(ref, opened, isEmbedded, signal);
    if (passages === undefined) return undefined;
    const isPut = await searchIndex.put({
      ...ref,
      version: versionOf(opened.header),
      createdAt: job.createdAt.toISOString(),
      duration: opened.header.duration,
      metadata: withProject(job.options?.metadata ?? {}, job.projectId),
      passages,
    });
    // The index refused the passages as older than those that it has, whose vectors may be of another engine.
    if (!isPut) return (await this.ledger.isErased(ref.jobId)) ? undefined : 'outdated';
    return { passages: passages.length, embedder: isEmbedded ? embedder.info.name : '', textVersion: versionOf(opened.header) };
  }

  /** Embeds in batches as large as the engine accepts, and checks for an erasure before each. */
  private async passages(ref: JobRef, { header, segments }: OpenedTranscript, isEmbedded: boolean, signal: AbortSignal): Promise<Passage[] | undefined> {
    const { embedder, ledger } = this;
    const names = new Map(header.speakers.map(({ speakerId, name }) => [speakerId, name]));
    const passages: Passage[] = [];
    for await (const passage of passagesOf(segments, header.language, names)) passages.push(passage);
    if (!isEmbedded) return passages;
    for (let from = 0; from < passages.length; from += embedder.info.maxBatch) {
      if (await ledger.isErased(ref.jobId)) return undefined;
      const batch = passages.slice(from, from + embedder.info.maxBatch);
      const vectors = await embedder.embed({ texts: batch.map(({ text }) => text), purpose: 'passage', signal });
      batch.forEach((passage, place) => {
        const embedding = vectors[place];
        if (embedding) passages[from + place] = { ...passage, embedding };
      });
    }
    return passages;
  }
}

/** The version of the transcript, from 1. It rises with each change of its speakers or its text. */
export const versionOf = ({ version }: Pick<transcription.TranscriptHeader, 'version'>): number => Math.max(1, version);

/** Returns true when the embedder supports the language of the text; one that lists no languages supports all. */
export const knowsLanguage = ({ info }: TextEmbedder, language: string): boolean =>
  info.languages.length === 0 || info.languages.includes(primaryLanguage(language));
