import { Controller, Inject } from '@nestjs/common';
import type { CallOptions, SummaryService, transcription, TranscriptService } from '@parlance/contracts';
import { DocumentWriter } from '@parlance/documents';
import { SUMMARY_SERVICE } from '@parlance/runtime';
import { isBytesFormat, isTextFormat, renderBytes, renderTranscript, type FormatName, type RenderSource, type Segment } from '@parlance/transcript';
import { newestOf, requireKept } from '../editing/revision-reader.js';
import { SpokenTranscripts } from '../editing/spoken-transcripts.js';
import type { TranscriptDocument } from '../transcript/transcript-documents.js';
import { translatedSegments } from '../transcript/translated-segments.js';
import { writeDocument } from './document-rendering.js';
import { bytesMessages, renderedMessage, utf8Pieces } from './rendered-pieces.js';
import { formatOf, optionsOf } from './render-request.js';

/** The part of TranscriptService that reads transcripts. One of another account is not found, as one that does not exist. */
@Controller()
export class TranscriptController implements Pick<TranscriptService, 'getTranscript' | 'renderTranscript'> {
  constructor(
    @Inject(SpokenTranscripts) private readonly transcripts: SpokenTranscripts,
    @Inject(DocumentWriter) private readonly documents: DocumentWriter,
    @Inject(SUMMARY_SERVICE) private readonly summaries: SummaryService,
  ) {}

  async *getTranscript(request: transcription.GetTranscriptRequest): AsyncGenerator<transcription.GetTranscriptResponse> {
    const transcript = await this.transcripts.find(request);
    const { language, duration, speakers, segmentCount, engine, version, formatting = '', redacted = {} } = transcript;
    const revision = request.revision ?? newestOf(transcript);
    requireKept(transcript, revision);
    yield { header: { language, duration, speakers, segmentCount, engine, version, formatting, revision, redacted }, segments: [] };
    for await (const segments of this.transcripts.parts(transcript, revision)) {
      yield { header: undefined, segments: request.includeWords ? segments : segments.map(withoutWords) };
    }
  }

  async *renderTranscript(request: transcription.RenderTranscriptRequest, { signal = NEVER }: CallOptions = {}): AsyncGenerator<transcription.RenderTranscriptResponse> {
    const transcript = await this.transcripts.find(request);
    const format = formatOf(request);
    const source = this.sourceOf(transcript, request, format, signal);
    if (isBytesFormat(format)) return yield* bytesMessages(await renderBytes(format, source, optionsOf(request)));
    const pieces = isTextFormat(format)
      ? utf8Pieces(renderTranscript(format, source, optionsOf(request)))
      : writeDocument(this.documents, format, request, source, signal);
    for await (const data of pieces) yield renderedMessage(data);
  }

  /** A segment that came later than its translation keeps its own text. */
  private sourceOf(transcript: TranscriptDocument, { accountId, jobId, language, revision = newestOf(transcript) }: transcription.RenderTranscriptRequest, format: FormatName, signal: AbortSignal): RenderSource {
    requireKept(transcript, revision);
    const spoken = () => this.transcripts.segments(transcript, revision);
    if (language === undefined) return { info: { ...transcript, revision }, segments: spoken };
    const texts = () => this.summaries.readTranslation({ accountId, jobId, language }, { signal });
    return { info: { ...transcript, revision, language, formatting: undefined }, segments: () => translatedSegments(spoken(), texts(), format !== 'json') };
  }
}

const NEVER = new AbortController().signal;

const withoutWords = (segment: Segment): Segment => ({ ...segment, words: [] });
