import { Inject, Injectable } from '@nestjs/common';
import type { Consumer } from '@parlance/event-bus';
import type { TaskWorker } from '@parlance/task-queue';
import { SpeakerStages } from './speakers/speaker-stages.js';

/** The events and tasks that the service works on: those of its stage. */
@Injectable()
export class DiarizationConsumers {
  constructor(@Inject(SpeakerStages) private readonly stages: SpeakerStages) {}

  consumers(): Consumer[] {
    return this.stages.consumers();
  }

  workers(): TaskWorker[] {
    return this.stages.workers();
  }
}
