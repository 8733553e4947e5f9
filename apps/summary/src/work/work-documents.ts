import { Inject, Injectable } from '@nestjs/common';
import { DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { TRANSLATION_PAGES, TRANSLATIONS, type TranslationDocument, type TranslationPage } from '../translations/translation-document.js';
import { CHAPTERS, ENTITIES, HIGHLIGHTS, SUMMARIES, type ChaptersDocument, type EntitiesDocument, type HighlightsDocument, type SummaryDocument } from './work-document.js';

/** The collections of what is made from transcripts. */
@Injectable()
export class WorkDocuments {
  readonly summaries: DocumentCollection<SummaryDocument>;
  readonly highlights: DocumentCollection<HighlightsDocument>;
  readonly chapters: DocumentCollection<ChaptersDocument>;
  readonly entities: DocumentCollection<EntitiesDocument>;
  readonly translations: DocumentCollection<TranslationDocument>;
  readonly translationPages: DocumentCollection<TranslationPage>;

  constructor(@Inject(DOCUMENTS) documents: DocumentDatabase) {
    this.summaries = documents.collection(SUMMARIES);
    this.highlights = documents.collection(HIGHLIGHTS);
    this.chapters = documents.collection(CHAPTERS);
    this.entities = documents.collection(ENTITIES);
    this.translations = documents.collection(TRANSLATIONS);
    this.translationPages = documents.collection(TRANSLATION_PAGES);
  }
}
