import { Module } from '@nestjs/common';
import { EngineLanguages } from './engine-languages.js';
import { LanguagesController } from './languages.controller.js';

@Module({ controllers: [LanguagesController], providers: [EngineLanguages], exports: [EngineLanguages] })
export class LanguagesModule {}
