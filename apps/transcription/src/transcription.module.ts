import { Inject, Module, type DynamicModule, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { warnOfMissingEngine } from '@parlance/engines';
import { SpeakersController } from './grpc/speakers-controller.js';
import { TranscriptController } from './grpc/transcript-controller.js';
import { CHECKPOINTS, DOCUMENTS, PARTS, RECOGNIZER, TRANSCRIPTS_STORE } from './tokens.js';
import { createParts, type TranscriptionContext, type TranscriptionParts } from './transcription-parts.js';

@Module({})
export class TranscriptionModule implements OnApplicationBootstrap, OnApplicationShutdown {
  static register(context: TranscriptionContext): DynamicModule {
    const parts = createParts(context);
    return {
      module: TranscriptionModule,
      controllers: [TranscriptController, SpeakersController],
      providers: [
        { provide: PARTS, useValue: parts },
        { provide: RECOGNIZER, useValue: parts.recognizer },
        { provide: CHECKPOINTS, useValue: parts.checkpoints },
        { provide: TRANSCRIPTS_STORE, useValue: parts.transcripts },
        { provide: DOCUMENTS, useValue: parts.documents },
      ],
    };
  }

  constructor(@Inject(PARTS) private readonly parts: TranscriptionParts) {}

  async onApplicationBootstrap(): Promise<void> {
    await warnOfMissingEngine(this.parts.recognizer, this.parts.log);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.parts.recognizer.close();
  }
}
