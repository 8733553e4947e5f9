import { Controller, Inject, Res } from '@nestjs/common';
import type { transcription, TranscriptService } from '@parlance/contracts';
import { TRANSCRIPT_SERVICE } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { hasTranscript, isTerminal, statusOf } from '../transcriptions/job-json.js';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';
import { noTranscript } from './no-transcript.js';
import { findWords, listParagraphs, listSentences } from './reading-operations.js';
import { sentenceCursor, sentencesAfter, wordCursor, wordsAfter } from './reading-page.js';

/** Reads a transcript in sentences, paragraphs and words. */
@Controller()
export class ReadingController {
  constructor(
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: TranscriptService,
    @Inject(JobReader) private readonly reader: JobReader,
  ) {}

  @Serves(listSentences)
  async sentences(@Input() input: InputOf<typeof listSentences>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    void reply.send(await this.parts(input, caller, false));
  }

  @Serves(listParagraphs)
  async paragraphs(@Input() input: InputOf<typeof listParagraphs>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    void reply.send(await this.parts(input, caller, true));
  }

  @Serves(findWords)
  async words(@Input() { params, query }: InputOf<typeof findWords>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { q: phrases, limit, cursor, revision } = query;
    const after = wordsAfter(params.job_id, cursor);
    const ref = await this.transcriptOf(caller, params.job_id);
    const found = await this.transcripts.findWords({ ...ref, phrases, offset: after.offset, limit, revision: after.revision ?? revision });
    void reply.send({
      data: found.occurrences.map((occurrence) => occurrenceJson(occurrence, phrases)),
      next_cursor: wordCursor(params.job_id, found, after.offset + found.occurrences.length),
      counts: found.counts.map((count, index) => ({ phrase: phrases[index] ?? '', count })),
    });
  }

  private async parts({ params, query }: InputOf<typeof listSentences>, caller: Caller, paragraphs: boolean) {
    const { limit, cursor, revision } = query;
    const after = sentencesAfter(params.job_id, cursor);
    const ref = await this.transcriptOf(caller, params.job_id);
    const page = await this.transcripts.listSentences({ ...ref, paragraphs, limit, from: after.from, revision: after.revision ?? revision });
    return { data: page.sentences.map(partJson), next_cursor: sentenceCursor(params.job_id, page) };
  }

  /** The job's owner is asked first, as it knows at once that a job is deleted. @throws AppError not_found, invalid_state */
  private async transcriptOf({ accountId }: Caller, jobId: string): Promise<JobRef> {
    const ref = { accountId, jobId };
    const job = await this.reader.get(ref);
    if (!hasTranscript(job)) throw noTranscript(!isTerminal(statusOf(job)));
    return ref;
  }
}

const spokenJson = ({ start, end, speakerId, channel }: Pick<transcription.Sentence, 'start' | 'end' | 'speakerId' | 'channel'>) => present({ start, end, speaker_id: speakerId, channel });

const partJson = (sentence: transcription.Sentence) => {
  const { text, segmentIds, firstWordId, lastWordId } = sentence;
  return present({ ...spokenJson(sentence), text, segment_ids: segmentIds, first_word_id: firstWordId, last_word_id: lastWordId });
};

const occurrenceJson = (occurrence: transcription.WordOccurrence, phrases: readonly string[]) => {
  const { phrase, text, segmentId, wordIds } = occurrence;
  return { phrase: phrases[phrase] ?? '', ...spokenJson(occurrence), text, segment_id: segmentId, word_ids: wordIds };
};
