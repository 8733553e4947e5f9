import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { transcription } from '@parlance/contracts';
import { AppError, callStream, toAppError } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callContext } from '../http/call-context.js';
import type { OpenStreams } from '../http/open-streams.js';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { callerOf } from '../keys/key-guard.js';
import { JOB_READER, OPEN_STREAMS, TRANSCRIPT_CLIENT } from '../tokens.js';
import { isTerminal, statusOf } from '../transcriptions/job-json.js';
import type { JobReader, JobRef } from '../transcriptions/job-reader.js';
import { chooseFormat } from './transcript-format.js';
import { getTranscript } from './transcript-operations.js';

@Controller()
export class TranscriptsController {
  constructor(
    @Inject(TRANSCRIPT_CLIENT) private readonly client: transcription.TranscriptServiceClient,
    @Inject(JOB_READER) private readonly reader: JobReader,
    @Inject(OPEN_STREAMS) private readonly streams: OpenStreams,
  ) {}

  @Serves(getTranscript)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, query } = await readInput(getTranscript, request);
    const format = chooseFormat(query.format, request.headers.accept);
    const ref = { accountId: callerOf(request).accountId, jobId: params.job_id };
    const rendering: transcription.RenderTranscriptRequest = {
      ...ref,
      format: format.message,
      speakers: query.speakers,
      timestamps: query.timestamps,
      maxLineChars: query.max_line_chars,
      maxLines: query.max_lines,
      minDuration: query.min_duration,
      maxDuration: query.max_duration,
      maxCps: query.max_cps,
    };
    const bytes = await this.render(ref, rendering, request);
    void reply
      .headers({
        'content-type': format.contentType,
        'content-disposition': `attachment; filename="${params.job_id}.${format.name}"`,
        'cache-control': 'private, no-cache',
        vary: 'accept',
      })
      .send(bytes);
  }

  /** The document's bytes as they come; the first are awaited, so that a missing transcript is an answer of its own. */
  private async render(ref: JobRef, rendering: transcription.RenderTranscriptRequest, request: FastifyRequest): Promise<Readable> {
    const context = { ...callContext(request), signal: this.streams.signalFor(request) };
    const pieces = callStream<transcription.RenderTranscriptRequest, transcription.RenderTranscriptResponse>(
      this.client,
      this.client.renderTranscript,
      rendering,
      context,
    );
    try {
      const first = await pieces.next();
      return Readable.from(bytesOf(first, pieces), { objectMode: false });
    } catch (error) {
      if (toAppError(error).kind !== 'not_found') throw error;
      const job = await this.reader.get(ref, callContext(request));
      throw noTranscript(!isTerminal(statusOf(job)));
    }
  }
}

type Piece = transcription.RenderTranscriptResponse;

async function* bytesOf(first: IteratorResult<Piece>, rest: AsyncGenerator<Piece>): AsyncGenerator<Uint8Array> {
  if (!first.done) yield first.value.data;
  for await (const { data } of rest) yield data;
}

const noTranscript = (mayCome: boolean) =>
  new AppError({
    kind: 'conflict',
    code: 'invalid_state',
    message: mayCome ? 'The transcript is not ready yet.' : 'The job ended without a transcript.',
    retryable: mayCome,
  });
