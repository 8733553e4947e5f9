import { Controller, Inject } from '@nestjs/common';
import type { transcription, TranscriptService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { occurrencesOf, paragraphsOf, sentencesFrom, sentencesOf, type Occurrence, type Sentence } from '@parlance/transcript';
import { newestOf, requireKept } from '../editing/revision-reader.js';
import { SpokenTranscripts } from '../editing/spoken-transcripts.js';
import { pageOf } from '../editing/transcript-draft.js';

/** The part of TranscriptService that reads transcripts in sentences, paragraphs and words. A transcript of another account is not found, as one that does not exist. */
@Controller()
export class ReadingController implements Pick<TranscriptService, 'listSentences' | 'findWords'> {
  constructor(@Inject(SpokenTranscripts) private readonly transcripts: SpokenTranscripts) {}

  async listSentences(request: transcription.ListSentencesRequest): Promise<transcription.ListSentencesResponse> {
    const { limit, paragraphs, from } = request;
    const transcript = await this.transcripts.find(request);
    const { revision = newestOf(transcript) } = request;
    requireKept(transcript, revision);
    const segments = this.transcripts.segments(transcript, revision, from && pageOf(from.segmentId));
    const read = from ? sentencesFrom(segments, from) : sentencesOf(segments);
    const sentences: Sentence[] = [];
    for await (const sentence of paragraphs ? paragraphsOf(read, { speakers: true }) : read) {
      if (sentences.length === limit) return { sentences, revision, next: placeOf(sentence) };
      sentences.push(sentence);
    }
    if (from && sentences.length === 0) throw unknownPlace();
    return { sentences, revision, next: undefined };
  }

  async findWords(request: transcription.FindWordsRequest): Promise<transcription.FindWordsResponse> {
    const { phrases, offset, limit } = request;
    const transcript = await this.transcripts.find(request);
    const { revision = newestOf(transcript) } = request;
    requireKept(transcript, revision);
    const counts = phrases.map(() => 0);
    const occurrences: Occurrence[] = [];
    let number = 0;
    for await (const occurrence of occurrencesOf(this.transcripts.segments(transcript, revision), phrases)) {
      counts[occurrence.phrase] = (counts[occurrence.phrase] ?? 0) + 1;
      if (number >= offset && number < offset + limit) occurrences.push(occurrence);
      number++;
    }
    return { occurrences, counts, revision };
  }
}

const placeOf = ({ segmentIds: [segmentId = ''], firstWordId }: Sentence): transcription.SentencePlace => ({ segmentId, firstWordId });

const unknownPlace = () => new AppError({ kind: 'invalid', code: 'invalid_cursor', message: 'The transcript has changed where the page would begin. Begin with the first page.' });
