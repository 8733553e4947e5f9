import { Module } from '@nestjs/common';
import { LanguagesController } from './languages.controller.js';
import { SpeechModels } from './speech-models.js';

@Module({ controllers: [LanguagesController], providers: [SpeechModels], exports: [SpeechModels] })
export class LanguagesModule {}
