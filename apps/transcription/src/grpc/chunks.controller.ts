import { Controller, Inject } from '@nestjs/common';
import type { transcription, TranscriptService } from '@parlance/contracts';
import { SpeechEngines } from '@parlance/engines';
import { writeWords, type MergedWord } from '@parlance/transcript';
import { ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';
import { JobLedger } from '../jobs/job-ledger.js';
import { recognitionOptionsOf } from '../live/recognition-requests.js';
import { RedactedCheckpoints } from '../transcript/redacted-checkpoints.js';
import { Redactions } from '../transcript/redactions.js';
import { TranscriptStore } from '../transcript/transcript-store.js';
import { writerOf } from '../transcript/writer.js';
import { listChunkSegments } from './chunk-segments.js';

/** The part of TranscriptService that reads the chunks of a transcript that is being made. */
@Controller()
export class ChunksController implements Pick<TranscriptService, 'listChunkSegments'> {
  constructor(
    @Inject(ChunkCheckpoints) private readonly checkpoints: ChunkCheckpoints,
    @Inject(JobLedger) private readonly ledger: JobLedger,
    @Inject(SpeechEngines) private readonly engines: SpeechEngines,
    @Inject(Redactions) private readonly redactions: Redactions,
    @Inject(RedactedCheckpoints) private readonly redacted: RedactedCheckpoints,
    @Inject(TranscriptStore) private readonly transcripts: TranscriptStore,
  ) {}

  async listChunkSegments(request: transcription.ListChunkSegmentsRequest): Promise<transcription.ListChunkSegmentsResponse> {
    const media = (await this.ledger.get(request.jobId))?.media;
    const { language: asked, ...options } = recognitionOptionsOf(media?.options);
    const write = (words: AsyncIterable<MergedWord>, detected: string | undefined) => {
      const writer = writerOf(this.engines, { ...options, language: asked ?? detected });
      const redact = this.redactions.ofPart({ ...options, language: writer.language });
      return redact(writeWords(words, options, writer));
    };
    const isHeld = this.redactions.readsModel(options.redaction) && (await this.isHeld(request));
    const reword = () => this.reword(request.jobId);
    return listChunkSegments(this.checkpoints, request, { write, isRedacted: options.redaction !== undefined, isHeld, reword, chunksTotal: media?.chunksTotal ?? Infinity });
  }

  /** False once the transcript is there and nothing was redacted in it; true where checkpoints are listed only with the words of the transcript, which they have then. */
  private async isHeld({ jobId, fromChunk }: transcription.ListChunkSegmentsRequest): Promise<boolean> {
    const transcript = await this.transcripts.get(jobId);
    if (!transcript) return true;
    // The job may be over before the process that merged has done this.
    const next = await this.checkpoints.get(jobId, fromChunk);
    if (next && !next.isOfTranscript) await this.redacted.redact(transcript);
    return Object.keys(transcript.redacted ?? {}).length > 0;
  }

  private async reword(jobId: string): Promise<void> {
    const transcript = await this.transcripts.get(jobId);
    if (transcript) await this.redacted.redact(transcript);
  }
}
