import type { summary } from '@parlance/contracts';
import type { ChaptersDocument } from '../work/work-document.js';
import { chaptersNow } from '../speakers/merge-speakers.js';
import type { SpeakerNames } from './speaker-names.js';
import { workMessage } from './work-message.js';

export function chaptersMessage(document: ChaptersDocument, names: SpeakerNames): summary.Chapters {
  const { chapters = [] } = document.result ? chaptersNow(document.result, names.merges) : {};
  return {
    ...workMessage(document, names),
    chapters: chapters.map((chapter) => ({ ...chapter, headline: names.in(chapter.headline), gist: names.in(chapter.gist) })),
  };
}
