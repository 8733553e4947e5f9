import type { Metadata, ServerWritableStream } from '@grpc/grpc-js';
import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { engines, transcription } from '@parlance/contracts';
import type { SpeechRecognizer } from '@parlance/engines';
import { notFound } from '@parlance/platform';
import { grpcStream } from '@parlance/runtime';
import { renderTranscript, type Segment } from '@parlance/transcript';
import type { Observable } from 'rxjs';
import type { ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';
import { CHECKPOINTS, RECOGNIZER, TRANSCRIPTS_STORE } from '../tokens.js';
import type { TranscriptDocument } from '../transcript/transcript-documents.js';
import type { TranscriptStore } from '../transcript/transcript-store.js';
import { listChunkSegments } from './chunk-segments.js';
import { formatOf, optionsOf } from './render-request.js';
import { utf8Pieces } from './text-pieces.js';

type Call<Request, Response> = ServerWritableStream<Request, Response>;

/** TranscriptService: what the other services read of transcripts. Of another account's, as of none, NOT_FOUND. */
@Controller()
export class TranscriptController {
  constructor(
    @Inject(TRANSCRIPTS_STORE) private readonly transcripts: TranscriptStore,
    @Inject(CHECKPOINTS) private readonly checkpoints: ChunkCheckpoints,
    @Inject(RECOGNIZER) private readonly recognizer: SpeechRecognizer,
  ) {}

  @GrpcMethod('TranscriptService', 'getTranscript')
  getTranscript(
    request: transcription.GetTranscriptRequest,
    _metadata: Metadata,
    call: Call<transcription.GetTranscriptRequest, transcription.GetTranscriptResponse>,
  ): Observable<transcription.GetTranscriptResponse> {
    return grpcStream<transcription.GetTranscriptRequest, transcription.GetTranscriptResponse>(call, this.pagesOf(request));
  }

  @GrpcMethod('TranscriptService', 'renderTranscript')
  renderTranscript(
    request: transcription.RenderTranscriptRequest,
    _metadata: Metadata,
    call: Call<transcription.RenderTranscriptRequest, transcription.RenderTranscriptResponse>,
  ): Observable<transcription.RenderTranscriptResponse> {
    return grpcStream<transcription.RenderTranscriptRequest, transcription.RenderTranscriptResponse>(call, this.renderingOf(request));
  }

  @GrpcMethod('TranscriptService', 'listChunkSegments')
  listChunkSegments(request: transcription.ListChunkSegmentsRequest): Promise<transcription.ListChunkSegmentsResponse> {
    return listChunkSegments(this.checkpoints, request);
  }

  @GrpcMethod('TranscriptService', 'getEngine')
  getEngine(): transcription.GetEngineResponse {
    const { name, languages, detectsLanguage, vocabulary, wordTimes } = this.recognizer.info;
    const engine: engines.Engine = { name, languages: [...languages], detectsLanguage, vocabulary, wordTimes, available: true };
    return { engine };
  }

  private async *pagesOf(request: transcription.GetTranscriptRequest): AsyncGenerator<transcription.GetTranscriptResponse> {
    const transcript = await this.find(request);
    const { language, duration, speakers, segmentCount, engine } = transcript;
    yield { header: { language, duration, speakers, segmentCount, engine }, segments: [] };
    for await (const segments of this.transcripts.readPages(transcript)) {
      yield { header: undefined, segments: request.includeWords ? segments : segments.map(withoutWords) };
    }
  }

  private async *renderingOf(request: transcription.RenderTranscriptRequest): AsyncGenerator<transcription.RenderTranscriptResponse> {
    const transcript = await this.find(request);
    const source = { info: transcript, segments: () => this.transcripts.readSegments(transcript) };
    const texts = renderTranscript(formatOf(request), source, optionsOf(request));
    for await (const data of utf8Pieces(texts)) yield { data };
  }

  private async find({ accountId, jobId }: { accountId: string; jobId: string }): Promise<TranscriptDocument> {
    const transcript = await this.transcripts.get(jobId);
    if (transcript?.accountId !== accountId) throw notFound('The transcript');
    return transcript;
  }
}

const withoutWords = (segment: Segment): Segment => ({ ...segment, words: [] });
