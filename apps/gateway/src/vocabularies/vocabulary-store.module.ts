import { Module } from '@nestjs/common';
import { Vocabularies } from './vocabularies.js';

@Module({ providers: [Vocabularies], exports: [Vocabularies] })
export class VocabularyStoreModule {}
