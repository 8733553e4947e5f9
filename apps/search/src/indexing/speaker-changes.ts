import { Inject, Injectable } from '@nestjs/common';
import { events } from '@parlance/contracts';
import type { SearchIndex, Speaker } from '@parlance/search-index';
import { runOfStage } from '@parlance/stage';
import { SEARCH_INDEX } from '../searching/search-index.provider.js';
import { IndexedJobs } from './indexed-jobs.js';
import { SearchStages } from './search-stages.js';
import { TranscriptIndexer, versionOf } from './transcript-indexer.js';
import { TranscriptSource } from './transcript-source.js';

/**
 * Updates the index after a change of speakers. A transcript whose stage has not begun is left to the stage. One that is being indexed
 * is read again: the index stores the version of the change and refuses passages of an older version.
 */
@Injectable()
export class SpeakerChanges {
  constructor(
    @Inject(SEARCH_INDEX) private readonly index: SearchIndex,
    @Inject(IndexedJobs) private readonly jobs: IndexedJobs,
    @Inject(TranscriptIndexer) private readonly indexer: TranscriptIndexer,
    @Inject(TranscriptSource) private readonly source: TranscriptSource,
    @Inject(SearchStages) private readonly stages: SearchStages,
  ) {}

  async changed(event: events.TranscriptSpeakersChanged, signal: AbortSignal): Promise<void> {
    const record = await this.stages.ledger.get(event.jobId);
    if (!record || record.state === 'deleted' || runOfStage(record, 'search').started === 0) return;
    try {
      if (event.change === events.SpeakersChange.SPEAKERS_CHANGE_FOUND) {
        const indexed = await this.indexer.index(event, signal);
        if (indexed) await this.jobs.reindexed(event.jobId, indexed);
      } else {
        await this.rename(event, signal);
      }
    } finally {
      await this.stages.erasure.removeIfErased(event);
    }
  }

  /** The passages keep their text and embeddings. */
  private async rename(event: events.TranscriptSpeakersChanged, signal: AbortSignal): Promise<void> {
    const { jobId, accountId, mergedFrom, mergedInto } = event;
    const header = await this.source.header(event, signal);
    if (!header) return;
    const speakers: Record<string, Speaker> = Object.fromEntries(header.speakers.map(({ speakerId, name }) => [speakerId, { id: speakerId, name }]));
    const into = mergedInto === undefined ? undefined : (speakers[mergedInto] ?? { id: mergedInto });
    if (mergedFrom !== undefined && into) speakers[mergedFrom] = into;
    await this.index.updateSpeakers({ jobId, accountId, version: versionOf(event) }, speakers);
  }
}
