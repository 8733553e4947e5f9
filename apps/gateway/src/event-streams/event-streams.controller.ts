import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { SummaryService, TranscriptService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { SUMMARY_SERVICE, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptWeights } from '../http/accept.js';
import { OpenStreams } from '../http/open-streams.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { JobReader } from '../transcriptions/job-reader.js';
import { isOver } from '../transcriptions/job-json.js';
import { streamEvents } from './event-stream-operations.js';
import { parsePosition, positionWithin } from './event-position.js';
import { hasOpenSummaries } from './open-summaries.js';
import { JobEventStream } from './job-event-stream.js';
import { JobWatcher } from '../transcriptions/job-watcher.js';

@Controller()
export class EventStreamsController {
  constructor(
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: TranscriptService,
    @Inject(SUMMARY_SERVICE) private readonly summaries: SummaryService,
    @Inject(JobWatcher) private readonly watcher: JobWatcher,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @Serves(streamEvents)
  async stream(@Input() { params, query }: InputOf<typeof streamEvents>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (acceptWeights(request.headers.accept, ['text/event-stream'])[0] === 0) throw notAcceptable();
    const ref = { accountId, jobId: params.job_id };
    const job = await this.jobs.get(ref);
    const position = positionWithin(parsePosition(lastEventId(request) ?? query.last_event_id), job);
    if (position.done && isOver(job) && job.version <= position.version && !(await hasOpenSummaries(this.summaries, job))) return void reply.status(204).send();
    // After a retry further events follow; `done` of the run before is no end.
    const stream = new JobEventStream({ jobs: this.jobs, transcripts: this.transcripts, summaries: this.summaries, watcher: this.watcher }, ref, position.done ? { ...position, done: false } : position);
    const isHead = request.method === 'HEAD';
    const events = isHead ? [] : stream.events(job, await this.streams.hold(reply));
    void reply
      .headers({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      .send(Readable.from(events));
  }
}

const notAcceptable = () => new AppError({ kind: 'invalid', code: 'not_acceptable', message: 'This endpoint returns text/event-stream.' });

function lastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' ? id : undefined;
}
