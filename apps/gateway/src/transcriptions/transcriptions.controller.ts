import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import { ingest } from '@parlance/contracts';
import { callUnary } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callContext } from '../http/call-context.js';
import { matchesEtag } from '../http/etag.js';
import { invalidFields } from '../http/field-errors.js';
import type { OpenStreams } from '../http/open-streams.js';
import { Serves } from '../http/operation.js';
import { readAddress, readInput, readQuery, requirePlainBody } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { callerOf } from '../keys/key-guard.js';
import { CREATION, JOB_CLIENT, JOB_READER, JOB_VIEWS, OPEN_STREAMS, REQUEST_RULES, UPLOAD_CREATION } from '../tokens.js';
import type { Creation, CreationAnswer } from './creation.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { jobJson, timeText } from './job-json.js';
import { JOB_STATUS } from './job-names.js';
import type { JobReader } from './job-reader.js';
import { viewOf, type JobViews } from './job-views.js';
import type { RequestRules } from './request-rules.js';
import {
  cancelTranscription,
  createTranscription,
  deleteTranscription,
  getErasure,
  getTranscription,
  listTranscriptions,
  retryTranscription,
} from './transcription-operations.js';
import { transcriptJson, withMember } from './transcript-json.js';
import type { UploadCreation } from './upload-creation.js';

@Controller()
export class TranscriptionsController {
  constructor(
    @Inject(JOB_CLIENT) private readonly jobs: ingest.JobServiceClient,
    @Inject(JOB_READER) private readonly reader: JobReader,
    @Inject(JOB_VIEWS) private readonly views: JobViews,
    @Inject(CREATION) private readonly creation: Creation,
    @Inject(UPLOAD_CREATION) private readonly uploadCreation: UploadCreation,
    @Inject(REQUEST_RULES) private readonly rules: RequestRules,
    @Inject(OPEN_STREAMS) private readonly streams: OpenStreams,
  ) {}

  @Serves(createTranscription)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { accountId, keyId } = callerOf(request);
    const creation = { accountId, keyId, idempotencyKey: idempotencyKeyOf(request), call: callContext(request) };
    if (request.isMultipart()) {
      requirePlainBody(request);
      const { errors } = readAddress(createTranscription, request);
      if (errors.length > 0) throw invalidFields(errors);
      return sendAccepted(reply, await this.uploadCreation.byForm(creation, request));
    }
    const { body, rawBody } = await readInput(createTranscription, request, (raw) => this.rules.violations(raw));
    return sendAccepted(reply, await this.creation.byUrl(creation, body, rawBody));
  }

  @Serves(getTranscription)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, query } = readQuery(getTranscription, request);
    const call = callContext(request);
    const ref = { accountId: callerOf(request).accountId, jobId: params.job_id };
    const job =
      query.wait === undefined
        ? (this.views.recall(ref) ?? (await this.views.read(ref, call)))
        : viewOf(await this.reader.getChanged(ref, query.wait * 1000, this.streams.signalFor(reply), call));
    const pages = query.include !== 'none' && job.hasTranscript ? await this.reader.transcript(ref, query.include === 'words', call) : undefined;
    // Speakers can be named and merged once the job is over.
    const transcript = pages?.first.header ? `.${pages.first.header.version}` : '';
    const etag = `W/"${job.version}${transcript}${query.include ? `-${query.include}` : ''}"`;
    reply.header('etag', etag).header('cache-control', 'private, no-cache');
    if (matchesEtag(request.headers['if-none-match'], etag)) {
      await pages?.rest.return(undefined);
      return void reply.status(304).send();
    }
    reply.type('application/json; charset=utf-8');
    if (!pages) return void reply.send(job.json);
    void reply.send(Readable.from(withMember(job.json, 'transcript', transcriptJson(pages.first, pages.rest))));
  }

  @Serves(listTranscriptions)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { query } = await readInput(listTranscriptions, request);
    const { jobs, nextCursor } = await callUnary(
      this.jobs,
      this.jobs.listJobs,
      {
        accountId: callerOf(request).accountId,
        limit: query.limit,
        cursor: query.cursor,
        status: query.status ? JOB_STATUS[query.status] : ingest.ListJobsRequest.fromPartial({}).status,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
        metadata: query.metadata ?? {},
      },
      callContext(request),
    );
    void reply.send({ data: jobs.map(jobJson), next_cursor: nextCursor ?? null });
  }

  @Serves(cancelTranscription)
  async cancel(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { job } = await callUnary(this.jobs, this.jobs.cancelJob, await refOf(cancelTranscription, request), callContext(request));
    sendJob(reply, job);
  }

  @Serves(retryTranscription)
  async retry(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { accountId, jobId } = await refOf(retryTranscription, request);
    const job = await this.creation.retry(accountId, jobId, callContext(request));
    sendJob(reply, job);
  }

  @Serves(deleteTranscription)
  async delete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ref = await refOf(deleteTranscription, request);
    const { erasureId } = await callUnary(this.jobs, this.jobs.deleteJob, ref, callContext(request));
    void reply.status(202).header('location', `/api/v1/erasures/${erasureId}`).send({ erasure_id: erasureId });
  }

  @Serves(getErasure)
  async erasure(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params } = await readInput(getErasure, request);
    const ref = { accountId: callerOf(request).accountId, erasureId: params.erasure_id };
    const { erasure } = await callUnary(this.jobs, this.jobs.getErasure, ref, callContext(request));
    void reply.send(erasure && erasureJson(erasure));
  }
}

async function refOf(operation: typeof cancelTranscription | typeof deleteTranscription, request: FastifyRequest) {
  const { params } = await readInput(operation, request);
  return { accountId: callerOf(request).accountId, jobId: params.job_id };
}

function sendAccepted(reply: FastifyReply, { accepted, replayed }: CreationAnswer): void {
  if (replayed) reply.header('idempotency-replayed', 'true');
  void reply.status(202).header('location', accepted.links.self).send(accepted);
}

function sendJob(reply: FastifyReply, job: ingest.Job | undefined): void {
  void reply.status(202).send(job && jobJson(job));
}

const erasureJson = ({ erasureId, jobId, status, requestedAt, completedAt, items }: ingest.Erasure) =>
  present({
    erasure_id: erasureId,
    job_id: jobId,
    status,
    requested_at: timeText(requestedAt),
    completed_at: timeText(completedAt),
    items: items.map(({ what, where, when, count }) => ({ what, where, when: timeText(when), count })),
  });
