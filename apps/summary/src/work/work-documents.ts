import { Inject, Injectable } from '@nestjs/common';
import { DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { CHAPTERS, HIGHLIGHTS, SUMMARIES, type ChaptersDocument, type HighlightsDocument, type SummaryDocument } from './work-document.js';

/** The collections of what is made from transcripts. */
@Injectable()
export class WorkDocuments {
  readonly summaries: DocumentCollection<SummaryDocument>;
  readonly highlights: DocumentCollection<HighlightsDocument>;
  readonly chapters: DocumentCollection<ChaptersDocument>;

  constructor(@Inject(DOCUMENTS) documents: DocumentDatabase) {
    this.summaries = documents.collection(SUMMARIES);
    this.highlights = documents.collection(HIGHLIGHTS);
    this.chapters = documents.collection(CHAPTERS);
  }
}
