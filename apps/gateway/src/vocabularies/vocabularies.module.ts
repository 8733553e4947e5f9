import { Module } from '@nestjs/common';
import { HoldCheckModule } from '../holds/hold-check.js';
import { KeysModule } from '../keys/keys.module.js';
import { VocabulariesController } from './vocabularies.controller.js';
import { VocabularyStoreModule } from './vocabulary-store.module.js';

/** Lists of terms that accounts save for their jobs. */
@Module({ imports: [HoldCheckModule, KeysModule, VocabularyStoreModule], controllers: [VocabulariesController] })
export class VocabulariesModule {}
