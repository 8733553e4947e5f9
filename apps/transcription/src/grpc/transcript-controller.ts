import type { Metadata, ServerWritableStream } from '@grpc/grpc-js';
import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { engines, transcription } from '@parlance/contracts';
import type { DocumentWriter } from '@parlance/documents';
import type { SpeechRecognizer } from '@parlance/engines';
import { notFound } from '@parlance/platform';
import { grpcStream } from '@parlance/runtime';
import { renderTranscript, type Segment } from '@parlance/transcript';
import type { Observable } from 'rxjs';
import type { ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';
import { CHECKPOINTS, DOCUMENTS, RECOGNIZER, TRANSCRIPTS_STORE } from '../tokens.js';
import { spokenView } from '../transcript/spoken-view.js';
import type { TranscriptDocument } from '../transcript/transcript-documents.js';
import type { TranscriptStore } from '../transcript/transcript-store.js';
import { listChunkSegments } from './chunk-segments.js';
import { writeDocument } from './document-rendering.js';
import { documentFormatOf, formatOf, optionsOf } from './render-request.js';
import { utf8Pieces } from './text-pieces.js';

type Call<Request, Response> = ServerWritableStream<Request, Response>;

/** TranscriptService: what the other services read of transcripts. Of another account's, as of none, NOT_FOUND. */
@Controller()
export class TranscriptController {
  constructor(
    @Inject(TRANSCRIPTS_STORE) private readonly transcripts: TranscriptStore,
    @Inject(CHECKPOINTS) private readonly checkpoints: ChunkCheckpoints,
    @Inject(RECOGNIZER) private readonly recognizer: SpeechRecognizer,
    @Inject(DOCUMENTS) private readonly documents: DocumentWriter,
  ) {}

  @GrpcMethod('TranscriptService', 'getTranscript')
  getTranscript(
    request: transcription.GetTranscriptRequest,
    _metadata: Metadata,
    call: Call<transcription.GetTranscriptRequest, transcription.GetTranscriptResponse>,
  ): Observable<transcription.GetTranscriptResponse> {
    return grpcStream<transcription.GetTranscriptRequest, transcription.GetTranscriptResponse>(call, () => this.pagesOf(request));
  }

  @GrpcMethod('TranscriptService', 'renderTranscript')
  renderTranscript(
    request: transcription.RenderTranscriptRequest,
    _metadata: Metadata,
    call: Call<transcription.RenderTranscriptRequest, transcription.RenderTranscriptResponse>,
  ): Observable<transcription.RenderTranscriptResponse> {
    return grpcStream<transcription.RenderTranscriptRequest, transcription.RenderTranscriptResponse>(call, (over) => this.renderingOf(request, over));
  }

  @GrpcMethod('TranscriptService', 'listChunkSegments')
  listChunkSegments(request: transcription.ListChunkSegmentsRequest): Promise<transcription.ListChunkSegmentsResponse> {
    return listChunkSegments(this.checkpoints, request);
  }

  @GrpcMethod('TranscriptService', 'getEngine')
  async getEngine(): Promise<transcription.GetEngineResponse> {
    const { name, languages, detectsLanguage, vocabulary, wordTimes, maxChunkSeconds } = this.recognizer.info;
    const available = await canRun(this.recognizer);
    const engine: engines.Engine = { name, languages: [...languages], detectsLanguage, vocabulary, wordTimes, available };
    return { engine, maxChunkSeconds };
  }

  private async *pagesOf(request: transcription.GetTranscriptRequest): AsyncGenerator<transcription.GetTranscriptResponse> {
    const transcript = await this.find(request);
    const { language, duration, speakers, segmentCount, engine, version } = transcript;
    yield { header: { language, duration, speakers, segmentCount, engine, version }, segments: [] };
    const asSpoken = spokenView(transcript);
    for await (const page of this.transcripts.readPages(transcript)) {
      const segments = page.map(asSpoken);
      yield { header: undefined, segments: request.includeWords ? segments : segments.map(withoutWords) };
    }
  }

  private async *renderingOf(request: transcription.RenderTranscriptRequest, over: AbortSignal): AsyncGenerator<transcription.RenderTranscriptResponse> {
    const transcript = await this.find(request);
    const source = { info: transcript, segments: () => this.spokenSegments(transcript) };
    const document = documentFormatOf(request);
    const pieces = document
      ? writeDocument(this.documents, document, request, source, over)
      : utf8Pieces(renderTranscript(formatOf(request), source, optionsOf(request)));
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

const canRun = (recognizer: SpeechRecognizer): Promise<boolean> =>
  recognizer.check().then(
    () => true,
    () => false,
  );

const withoutWords = (segment: Segment): Segment => ({ ...segment, words: [] });
