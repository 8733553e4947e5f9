import { Inject, Injectable } from '@nestjs/common';
import type { Consumer } from '@parlance/event-bus';
import type { TaskWorker } from '@parlance/task-queue';
import { INDEXING_DEADLINE_MS } from './indexing/search-stage.js';
import { SearchStages } from './indexing/search-stages.js';
import { SpeakerChanges } from './indexing/speaker-changes.js';

/** The events and tasks that the service works on. */
@Injectable()
export class SearchConsumers {
  constructor(
    @Inject(SearchStages) private readonly stages: SearchStages,
    @Inject(SpeakerChanges) private readonly speakerChanges: SpeakerChanges,
  ) {}

  consumers(): Consumer[] {
    return this.stages.consumers({ 'transcript.speakers_changed': ({ event, signal }) => this.speakerChanges.changed(event.data, signal) }, INDEXING_DEADLINE_MS);
  }

  workers(): TaskWorker[] {
    return this.stages.workers();
  }
}
