import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { assignSpeakers, type Segment, type SpeakerTurn } from '@parlance/transcript';
import type { TranscriptDocument } from '../transcript/transcript-documents.js';
import { EditedPages } from './edited-pages.js';
import { newestOf, RevisionReader } from './revision-reader.js';

/** Members of a transcript whose edited pages have their speakers. */
type WithSpeakers = Partial<Pick<TranscriptDocument, 'segmentCount' | 'editedPages' | 'revisionsFrom'>>;

/** Gives the words of edited pages their speakers, when those become known after an edit: diarization had failed and was retried. */
@Injectable()
export class EditedSpeakers {
  constructor(
    @Inject(EditedPages) private readonly edited: EditedPages,
    @Inject(RevisionReader) private readonly reader: RevisionReader,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Segments are split where the speaker changes, so that earlier revisions cannot be put together from their changes any more. */
  async assign(transcript: TranscriptDocument, turns: readonly SpeakerTurn[]): Promise<WithSpeakers> {
    if (newestOf(transcript) === 0) return {};
    const editedPages: Record<string, string> = {};
    let segmentCount = 0;
    for (let page = 0; page < transcript.pageCount; page++) {
      const segments: Segment[] = [];
      for await (const segment of assignSpeakers(await this.reader.page(transcript, page), turns)) segments.push(segment);
      segmentCount += segments.length;
      if (transcript.editedPages?.[page] !== undefined) editedPages[page] = (await this.edited.write(transcript, page, segments)).id;
    }
    return { segmentCount, editedPages, revisionsFrom: newestOf(transcript) };
  }

  /** Removes those of the pages to which the transcript, as it is now, does not refer. The sweep removes what remains after an error. */
  async removeUnreferenced(jobId: string, pages: readonly string[], transcript: TranscriptDocument | undefined): Promise<void> {
    try {
      await this.edited.removeUnreferenced({ pages }, transcript);
    } catch (error) {
      this.log.warn({ job_id: jobId, err: error }, 'edited pages not removed');
    }
  }
}
