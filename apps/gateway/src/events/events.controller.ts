import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { transcription } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptWeights } from '../http/accept.js';
import { callContext } from '../http/call-context.js';
import type { OpenStreams } from '../http/open-streams.js';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { callerOf } from '../keys/key-guard.js';
import { JOB_READER, JOB_WATCHER, OPEN_STREAMS, TRANSCRIPT_CLIENT } from '../tokens.js';
import type { JobReader } from '../transcriptions/job-reader.js';
import { isOver } from '../transcriptions/job-json.js';
import { streamEvents } from './event-operations.js';
import { parsePosition, positionWithin } from './event-position.js';
import { JobEventStream } from './job-event-stream.js';
import type { JobWatcher } from './job-watcher.js';

@Controller()
export class EventsController {
  constructor(
    @Inject(JOB_READER) private readonly jobs: JobReader,
    @Inject(TRANSCRIPT_CLIENT) private readonly transcripts: transcription.TranscriptServiceClient,
    @Inject(JOB_WATCHER) private readonly watcher: JobWatcher,
    @Inject(OPEN_STREAMS) private readonly streams: OpenStreams,
  ) {}

  @Serves(streamEvents)
  async stream(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params } = await readInput(streamEvents, request);
    if (acceptWeights(request.headers.accept, ['text/event-stream'])[0] === 0) throw notAcceptable();
    const call = callContext(request);
    const ref = { accountId: callerOf(request).accountId, jobId: params.job_id };
    const job = await this.jobs.get(ref, call);
    const position = positionWithin(parsePosition(lastEventId(request)), job);
    if (position.done && isOver(job) && job.version <= position.version) return void reply.status(204).send();
    // After a retry the story goes on; `done` of the run before is no end.
    const stream = new JobEventStream({ jobs: this.jobs, transcripts: this.transcripts, watcher: this.watcher }, ref, position.done ? { ...position, done: false } : position, call);
    const isHead = request.method === 'HEAD';
    const events = isHead ? [] : stream.events(job, this.streams.signalFor(reply));
    void reply
      .headers({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      .send(Readable.from(events));
  }
}

const notAcceptable = () => new AppError({ kind: 'invalid', code: 'not_acceptable', message: 'The events come as text/event-stream.' });

function lastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' ? id : undefined;
}
