import { Controller, Inject } from '@nestjs/common';
import type { CallOptions, engines, transcription, TranscriptService } from '@parlance/contracts';
import { DocumentWriter } from '@parlance/documents';
import type { SpeechRecognizer } from '@parlance/engines';
import { notFound } from '@parlance/platform';
import { isTextFormat, renderTranscript, withMerges, type Segment } from '@parlance/transcript';
import { ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';
import { SPEECH_RECOGNIZER } from '../chunks/speech-recognizer.provider.js';
import type { TranscriptDocument } from '../transcript/transcript-documents.js';
import { TranscriptStore } from '../transcript/transcript-store.js';
import { listChunkSegments } from './chunk-segments.js';
import { writeDocument } from './document-rendering.js';
import { formatOf, optionsOf } from './render-request.js';

/** The part of TranscriptService that reads transcripts. One of another account is not found, as one that does not exist. */
@Controller()
export class TranscriptController implements Pick<TranscriptService, 'getTranscript' | 'renderTranscript' | 'listChunkSegments' | 'getEngine'> {
  constructor(
    @Inject(TranscriptStore) private readonly transcripts: TranscriptStore,
    @Inject(ChunkCheckpoints) private readonly checkpoints: ChunkCheckpoints,
    @Inject(SPEECH_RECOGNIZER) private readonly recognizer: SpeechRecognizer,
    @Inject(DocumentWriter) private readonly documents: DocumentWriter,
  ) {}

  listChunkSegments(request: transcription.ListChunkSegmentsRequest): Promise<transcription.ListChunkSegmentsResponse> {
    return listChunkSegments(this.checkpoints, request);
  }

  async getEngine(): Promise<transcription.GetEngineResponse> {
    const { name, languages, detectsLanguage, vocabulary, wordTimes, maxChunkSeconds } = this.recognizer.info;
    const available = await canRun(this.recognizer);
    const engine: engines.Engine = { name, languages: [...languages], detectsLanguage, vocabulary, wordTimes, available };
    return { engine, maxChunkSeconds };
  }

  async *getTranscript(request: transcription.GetTranscriptRequest): AsyncGenerator<transcription.GetTranscriptResponse> {
    const transcript = await this.find(request);
    const { language, duration, speakers, segmentCount, engine, version } = transcript;
    yield { header: { language, duration, speakers, segmentCount, engine, version }, segments: [] };
    const asSpoken = spokenView(transcript);
    for await (const page of this.transcripts.readPages(transcript)) {
      const segments = page.map(asSpoken);
      yield { header: undefined, segments: request.includeWords ? segments : segments.map(withoutWords) };
    }
  }

  async *renderTranscript(request: transcription.RenderTranscriptRequest, { signal = NEVER }: CallOptions = {}): AsyncGenerator<transcription.RenderTranscriptResponse> {
    const transcript = await this.find(request);
    const source = { info: transcript, segments: () => this.spokenSegments(transcript) };
    const format = formatOf(request);
    const pieces = isTextFormat(format)
      ? utf8Pieces(renderTranscript(format, source, optionsOf(request)))
      : writeDocument(this.documents, format, request, source, signal);
    for await (const data of pieces) yield { data: Buffer.from(data.buffer, data.byteOffset, data.length) };
  }

  private async *spokenSegments(transcript: TranscriptDocument): AsyncGenerator<Segment> {
    const asSpoken = spokenView(transcript);
    for await (const segment of this.transcripts.readSegments(transcript)) yield asSpoken(segment);
  }

  private async find({ accountId, jobId }: { accountId: string; jobId: string }): Promise<TranscriptDocument> {
    const transcript = await this.transcripts.get(jobId);
    if (transcript?.accountId !== accountId) throw notFound('The transcript');
    return transcript;
  }
}

const NEVER = new AbortController().signal;

const canRun = (recognizer: SpeechRecognizer): Promise<boolean> =>
  recognizer.check().then(
    () => true,
    () => false,
  );

const withoutWords = (segment: Segment): Segment => ({ ...segment, words: [] });

/** Characters of a message, into which smaller pieces are joined. */
const PIECE_LENGTH = 32 * 1024;

/** Text as UTF-8 in pieces of about 32 kB. */
async function* utf8Pieces(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let held = '';
  for await (const text of texts) {
    held += text;
    if (held.length < PIECE_LENGTH) continue;
    yield Buffer.from(held);
    held = '';
  }
  if (held !== '') yield Buffer.from(held);
}

/** Gives segments their present speakers. Pages are written before the transcript says that it has speakers, and are not changed when speakers are merged. */
function spokenView({ turns, channels, merges }: Pick<TranscriptDocument, 'turns' | 'channels' | 'merges'>): (segment: Segment) => Segment {
  if (!turns && channels === undefined) return withoutSpeakers;
  return merges ? (segment) => withMerges(segment, merges) : (segment) => segment;
}

function withoutSpeakers({ speakerId: _speaker, words, ...segment }: Segment): Segment {
  return { ...segment, words: words.map(({ speakerId: _speaker, ...word }) => word) };
}
