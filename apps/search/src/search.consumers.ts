import { Inject, Injectable } from '@nestjs/common';
import type { Consumer } from '@parlance/event-bus';
import type { TaskWorker } from '@parlance/task-queue';
import { INDEXING_DEADLINE_MS } from './indexing/search-stage.js';
import { SearchStages } from './indexing/search-stages.js';
import { TextChanges } from './indexing/text-changes.js';
import { SpeakerChanges } from './indexing/speaker-changes.js';

/** The events and tasks that the service works on. */
@Injectable()
export class SearchConsumers {
  constructor(
    @Inject(SearchStages) private readonly stages: SearchStages,
    @Inject(SpeakerChanges) private readonly speakerChanges: SpeakerChanges,
    @Inject(TextChanges) private readonly textChanges: TextChanges,
  ) {}

  consumers(): Consumer[] {
    const changes: Consumer['handlers'] = {
      'transcript.speakers_changed': ({ event, signal }) => this.speakerChanges.changed(event.data, signal),
      'transcript.edited': ({ event, signal }) => this.textChanges.edited(event.data, signal),
    };
    return this.stages.consumers(changes, INDEXING_DEADLINE_MS);
  }

  workers(): TaskWorker[] {
    return this.stages.workers();
  }
}
