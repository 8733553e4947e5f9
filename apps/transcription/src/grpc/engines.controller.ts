import { Controller, Inject } from '@nestjs/common';
import type { transcription, TranscriptService } from '@parlance/contracts';
import { SpeechEngines } from '@parlance/engines';
import { AppError } from '@parlance/platform';
import { TASK_QUEUE } from '@parlance/runtime';
import type { TaskQueue } from '@parlance/task-queue';
import { chunkQueue } from '../chunks/chunk-task.js';
import { engineMessage, speechEngineMessage } from './engine-message.js';

/** The part of TranscriptService about speech engines and their capacity. */
@Controller()
export class EnginesController implements Pick<TranscriptService, 'getEngine' | 'listEngines' | 'getCapacity'> {
  constructor(
    @Inject(SpeechEngines) private readonly engines: SpeechEngines,
    @Inject(TASK_QUEUE) private readonly tasks: Pick<TaskQueue, 'backlog'>,
  ) {}

  async getEngine({ model }: transcription.GetEngineRequest): Promise<transcription.GetEngineResponse> {
    const engine = this.engines.find(model);
    if (!engine) throw new AppError({ kind: 'not_found', code: 'model_unknown', message: `There is no speech engine ${model}. Submit the recording again with another model.` });
    return { engine: await engineMessage(engine.recognizer), maxChunkSeconds: engine.recognizer.info.maxChunkSeconds };
  }

  async getCapacity(): Promise<transcription.GetCapacityResponse> {
    const backlogs = await Promise.all(this.engines.all().map(({ model }) => this.tasks.backlog(chunkQueue(model))));
    return { chunks: backlogs.reduce((sum, { capacity }) => sum + capacity, 0) };
  }

  async listEngines(): Promise<transcription.ListEnginesResponse> {
    return { engines: await Promise.all(this.engines.all().map(speechEngineMessage)) };
  }
}
