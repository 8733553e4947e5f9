import { Controller, Inject } from '@nestjs/common';
import type { transcription, TranscriptService } from '@parlance/contracts';
import { SpeechEngines } from '@parlance/engines';
import { writeWords } from '@parlance/transcript';
import { ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';
import { JobLedger } from '../jobs/job-ledger.js';
import { writerOf } from '../transcript/writer.js';
import { listChunkSegments } from './chunk-segments.js';

/** The part of TranscriptService that reads the chunks of a transcript that is being made. */
@Controller()
export class ChunksController implements Pick<TranscriptService, 'listChunkSegments'> {
  constructor(
    @Inject(ChunkCheckpoints) private readonly checkpoints: ChunkCheckpoints,
    @Inject(JobLedger) private readonly ledger: JobLedger,
    @Inject(SpeechEngines) private readonly engines: SpeechEngines,
  ) {}

  async listChunkSegments(request: transcription.ListChunkSegmentsRequest): Promise<transcription.ListChunkSegmentsResponse> {
    const { language: asked, model, spelling = {} } = (await this.ledger.get(request.jobId))?.media?.options ?? {};
    return listChunkSegments(this.checkpoints, request, (words, detected) => writeWords(words, spelling, writerOf(this.engines, { model, language: asked ?? detected })));
  }
}
