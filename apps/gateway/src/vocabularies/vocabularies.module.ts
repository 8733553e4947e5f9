import { Module } from '@nestjs/common';
import { KeysModule } from '../keys/keys.module.js';
import { VocabulariesController } from './vocabularies.controller.js';
import { VocabularyStoreModule } from './vocabulary-store.module.js';

/** Lists of terms that accounts save for their jobs. */
@Module({ imports: [KeysModule, VocabularyStoreModule], controllers: [VocabulariesController] })
export class VocabulariesModule {}
