import { Controller, Inject } from '@nestjs/common';
import type { CallOptions, SummaryService, transcription, TranscriptService } from '@parlance/contracts';
import { DocumentWriter } from '@parlance/documents';
import { SpeechEngines } from '@parlance/engines';
import { AppError, notFound } from '@parlance/platform';
import { SUMMARY_SERVICE, TASK_QUEUE } from '@parlance/runtime';
import type { TaskQueue } from '@parlance/task-queue';
import { isBytesFormat, isTextFormat, renderBytes, renderTranscript, writeWords, type FormatName, type RenderSource, type Segment } from '@parlance/transcript';
import { ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';
import { chunkQueue } from '../chunks/chunk-task.js';
import { newestOf, requireKept, RevisionReader } from '../editing/revision-reader.js';
import { JobLedger } from '../jobs/job-ledger.js';
import { spokenView } from '../transcript/spoken-view.js';
import type { TranscriptDocument } from '../transcript/transcript-documents.js';
import { translatedSegments } from '../transcript/translated-segments.js';
import { writerOf } from '../transcript/writer.js';
import { TranscriptStore } from '../transcript/transcript-store.js';
import { listChunkSegments } from './chunk-segments.js';
import { engineMessage, speechEngineMessage } from './engine-message.js';
import { writeDocument } from './document-rendering.js';
import { bytesMessages, renderedMessage, utf8Pieces } from './rendered-pieces.js';
import { formatOf, optionsOf } from './render-request.js';

/** The part of TranscriptService that reads transcripts. One of another account is not found, as one that does not exist. */
@Controller()
export class TranscriptController implements Pick<TranscriptService, 'getTranscript' | 'renderTranscript' | 'listChunkSegments' | 'getEngine' | 'listEngines' | 'getCapacity'> {
  constructor(
    @Inject(TranscriptStore) private readonly transcripts: TranscriptStore,
    @Inject(RevisionReader) private readonly reader: RevisionReader,
    @Inject(ChunkCheckpoints) private readonly checkpoints: ChunkCheckpoints,
    @Inject(JobLedger) private readonly ledger: JobLedger,
    @Inject(SpeechEngines) private readonly engines: SpeechEngines,
    @Inject(DocumentWriter) private readonly documents: DocumentWriter,
    @Inject(SUMMARY_SERVICE) private readonly summaries: SummaryService,
    @Inject(TASK_QUEUE) private readonly tasks: Pick<TaskQueue, 'backlog'>,
  ) {}

  async listChunkSegments(request: transcription.ListChunkSegmentsRequest): Promise<transcription.ListChunkSegmentsResponse> {
    const { language: asked, model, spelling = {} } = (await this.ledger.get(request.jobId))?.media?.options ?? {};
    return listChunkSegments(this.checkpoints, request, (words, detected) => writeWords(words, spelling, writerOf(this.engines, { model, language: asked ?? detected })));
  }

  async getEngine({ model }: transcription.GetEngineRequest): Promise<transcription.GetEngineResponse> {
    const engine = this.engines.find(model);
    if (!engine) throw new AppError({ kind: 'not_found', code: 'model_unknown', message: `There is no speech engine ${model}. Submit the recording again with another model.` });
    return { engine: await engineMessage(engine.recognizer), maxChunkSeconds: engine.recognizer.info.maxChunkSeconds };
  }

  async getCapacity(): Promise<transcription.GetCapacityResponse> {
    const backlogs = await Promise.all(this.engines.all().map(({ model }) => this.tasks.backlog(chunkQueue(model))));
    return { chunks: backlogs.reduce((sum, { capacity }) => sum + capacity, 0) };
  }

  async listEngines(): Promise<transcription.ListEnginesResponse> {
    return { engines: await Promise.all(this.engines.all().map(speechEngineMessage)) };
  }

  async *getTranscript(request: transcription.GetTranscriptRequest): AsyncGenerator<transcription.GetTranscriptResponse> {
    const transcript = await this.find(request);
    const { language, duration, speakers, segmentCount, engine, version, formatting = '' } = transcript;
    const revision = request.revision ?? newestOf(transcript);
    requireKept(transcript, revision);
    const pages = this.reader.readPages(transcript, revision);
    yield { header: { language, duration, speakers, segmentCount, engine, version, formatting, revision }, segments: [] };
    const asSpoken = spokenView(transcript);
    for await (const page of pages) {
      const segments = page.map(asSpoken);
      yield { header: undefined, segments: request.includeWords ? segments : segments.map(withoutWords) };
    }
  }

  async *renderTranscript(request: transcription.RenderTranscriptRequest, { signal = NEVER }: CallOptions = {}): AsyncGenerator<transcription.RenderTranscriptResponse> {
    const transcript = await this.find(request);
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
    const spoken = () => this.spokenSegments(transcript, revision);
    if (language === undefined) return { info: { ...transcript, revision }, segments: spoken };
    const texts = () => this.summaries.readTranslation({ accountId, jobId, language }, { signal });
    return { info: { ...transcript, revision, language, formatting: undefined }, segments: () => translatedSegments(spoken(), texts(), format !== 'json') };
  }

  private async *spokenSegments(transcript: TranscriptDocument, revision: number | undefined): AsyncGenerator<Segment> {
    const asSpoken = spokenView(transcript);
    for await (const segment of this.reader.readSegments(transcript, revision)) yield asSpoken(segment);
  }

  private async find({ accountId, jobId }: { accountId: string; jobId: string }): Promise<TranscriptDocument> {
    const transcript = await this.transcripts.get(jobId);
    if (transcript?.accountId !== accountId) throw notFound('The transcript');
    return transcript;
  }
}

const NEVER = new AbortController().signal;

const withoutWords = (segment: Segment): Segment => ({ ...segment, words: [] });
