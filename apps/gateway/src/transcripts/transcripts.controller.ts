import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { ingest, summary, transcription } from '@parlance/contracts';
import { callStream, toAppError, type CallContext, type Logger } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callContext } from '../http/call-context.js';
import type { OpenStreams } from '../http/open-streams.js';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { callerOf } from '../keys/key-guard.js';
import { JOB_READER, LOG, OPEN_STREAMS, SUMMARY_CLIENT, TRANSCRIPT_CLIENT } from '../tokens.js';
import { isTerminal, statusOf } from '../transcriptions/job-json.js';
import type { JobReader } from '../transcriptions/job-reader.js';
import { noTranscript } from './no-transcript.js';
import { documentHead } from './document-head.js';
import { atReadersPace } from './reader-pace.js';
import { chooseFormat, isDocument } from './transcript-format.js';
import { getTranscript } from './transcript-operations.js';

@Controller()
export class TranscriptsController {
  constructor(
    @Inject(TRANSCRIPT_CLIENT) private readonly client: transcription.TranscriptServiceClient,
    @Inject(SUMMARY_CLIENT) private readonly summaries: summary.SummaryServiceClient,
    @Inject(JOB_READER) private readonly reader: JobReader,
    @Inject(OPEN_STREAMS) private readonly streams: OpenStreams,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @Serves(getTranscript)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, query } = await readInput(getTranscript, request);
    const format = chooseFormat(query.format, request.headers.accept);
    const ref = { accountId: callerOf(request).accountId, jobId: params.job_id };
    const options = {
      format: format.message,
      speakers: query.speakers,
      timestamps: query.timestamps,
      maxLineChars: query.max_line_chars,
      maxLines: query.max_lines,
      minDuration: query.min_duration,
      maxDuration: query.max_duration,
      maxCps: query.max_cps,
    };
    const context = { ...callContext(request), signal: this.streams.signalFor(reply) };
    // First, as its owner knows at once that a job is deleted; whoever has the transcript hears it a moment later.
    const job = await this.reader.get(ref, context);
    const head = isDocument(format) ? await documentHead(job, ref, this.summaries, context, this.log) : NO_HEAD;
    const pieces = await this.render(job, { ...ref, ...options, ...head }, context);
    const bytes = Readable.from(atReadersPace(pieces, STALL_MS, () => reply.raw.destroy()), { objectMode: false });
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
  private async render(job: ingest.Job, rendering: transcription.RenderTranscriptRequest, context: CallContext): Promise<AsyncIterable<Uint8Array>> {
    const pieces = callStream<transcription.RenderTranscriptRequest, transcription.RenderTranscriptResponse>(
      this.client,
      this.client.renderTranscript,
      rendering,
      context,
    );
    try {
      const first = await pieces.next();
      return bytesOf(first, pieces);
    } catch (error) {
      if (toAppError(error).kind !== 'not_found') throw error;
      throw noTranscript(!isTerminal(statusOf(job)));
    }
  }
}

/** Without a piece of 64 kB taken: less than a kilobyte a second. */
const STALL_MS = 60_000;

const NO_HEAD = { title: undefined, createdAt: undefined, sections: [] };

type Piece = transcription.RenderTranscriptResponse;

async function* bytesOf(first: IteratorResult<Piece>, rest: AsyncGenerator<Piece>): AsyncGenerator<Uint8Array> {
  if (!first.done) yield first.value.data;
  for await (const { data } of rest) yield data;
}
