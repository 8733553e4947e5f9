import { Inject, Injectable } from '@nestjs/common';
import type { events } from '@parlance/contracts';
import { runOfStage } from '@parlance/stage';
import { IndexedJobs } from './indexed-jobs.js';
import { SearchStages } from './search-stages.js';
import { TranscriptIndexer } from './transcript-indexer.js';

/** Updates the index after an edit of a transcript. A transcript whose stage has not begun is left to the stage. */
@Injectable()
export class TextChanges {
  constructor(
    @Inject(IndexedJobs) private readonly jobs: IndexedJobs,
    @Inject(TranscriptIndexer) private readonly indexer: TranscriptIndexer,
    @Inject(SearchStages) private readonly stages: SearchStages,
  ) {}

  async edited(event: events.TranscriptEdited, signal: AbortSignal): Promise<void> {
    const record = await this.stages.ledger.get(event.jobId);
    if (!record || record.state === 'deleted' || runOfStage(record, 'search').started === 0) return;
    // When several edits follow one another, the turn of the first one has put the text of the last one into the index.
    if ((record.textVersion ?? 0) >= event.version) return;
    try {
      const indexed = await this.indexer.index(event, signal);
      if (indexed) await this.jobs.reindexed(event.jobId, indexed);
    } finally {
      await this.stages.erasure.removeIfErased(event);
    }
  }
}
