import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import { ingest, JOB_STATUS, type JobService } from '@parlance/contracts';
import { JOB_SERVICE } from '@parlance/runtime';
import { transcriptJson } from '@parlance/transcript';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ifMatchOf, matchesTag, versionTag } from '../http/entity-tags.js';
import { OpenStreams } from '../http/open-streams.js';
import { withReadyStart } from '../http/ready-start.js';
import { readInput, type InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { listedProject } from '../keys/project-boundary.js';
import { atReadersPace } from '../transcripts/reader-pace.js';
import { AddOnOrders } from './add-on-orders.js';
import { Admission } from './admission.js';
import { JobChanges, jobRevisionsOf } from './job-changes.js';
import { changedJobJson, hasTranscript, jobJson, stageName, wholeJobJson } from './job-json.js';
import { awaited, versionIn } from './job-news.js';
import { JobReader, type JobRef } from './job-reader.js';
import { RequestRules } from './request-rules.js';
import { requireClear } from './sealed-jobs.js';
import {
  cancelTranscription,
  deleteTranscription,
  getTranscription,
  listTranscriptions,
  orderAddOns,
  retryTranscription,
  updateTranscription,
} from './transcription-operations.js';
import { withMember } from './with-member.js';

@Controller()
export class TranscriptionsController {
  constructor(
    @Inject(JOB_SERVICE) private readonly jobs: JobService,
    @Inject(AddOnOrders) private readonly addOns: AddOnOrders,
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(JobChanges) private readonly changes: JobChanges,
    @Inject(RequestRules) private readonly rules: RequestRules,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @Serves(getTranscription)
  async get(@Input() { params, query }: InputOf<typeof getTranscription>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ref = { accountId, jobId: params.job_id };
    const isAwaited = awaited(query.wait_for, versionIn(request.headers['if-none-match']));
    const waiting = query.wait === undefined ? undefined : await this.streams.hold(reply);
    const job = waiting ? await this.reader.getWhen(ref, isAwaited, (query.wait ?? 0) * 1000, waiting) : await this.reader.get(ref);
    if (query.include === 'words') requireClear(job);
    const hasPages = query.include !== 'none' && hasTranscript(job);
    const pages = hasPages ? await this.reader.transcript(ref, query.include === 'words', waiting ?? (await this.streams.hold(reply))) : undefined;
    // Speakers can be named and merged once the job is over.
    const transcript = pages?.first.header ? `.${pages.first.header.version}` : '';
    const etag = `W/"${job.version}${transcript}${query.include ? `-${query.include}` : ''}"`;
    const headers = { etag, 'cache-control': 'private, no-cache' };
    if (matchesTag(request.headers['if-none-match'], etag)) {
      await pages?.rest.return(undefined);
      return void reply.status(304).headers(headers).send();
    }
    const json = JSON.stringify(wholeJobJson(job, request.server.publicUrl));
    const answer = pages ? Readable.from(await withReadyStart(atReadersPace(withMember(json, 'transcript', transcriptJson(pages.first, pages.rest)), reply.raw))) : json;
    void reply.headers({ ...headers, 'content-type': 'application/json; charset=utf-8' }).send(answer);
  }

  @Serves(listTranscriptions)
  async list(@Input() { query }: InputOf<typeof listTranscriptions>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { jobs, nextCursor } = await this.jobs.listJobs({
      accountId: caller.accountId,
      limit: query.limit,
      cursor: query.cursor,
      status: query.status ? JOB_STATUS[query.status] : ingest.ListJobsRequest.fromPartial({}).status,
      statuses: (query.statuses ?? []).map((status) => JOB_STATUS[status]),
      ascending: query.order === 'asc',
      createdAfter: query.created_after,
      createdBefore: query.created_before,
      metadata: query.metadata ?? {},
      text: query.q ?? '',
      kind: query.kind,
      batchId: query.batch_id,
      projectId: listedProject(caller, query.project_id),
    });
    void reply.send({ data: jobs.map(jobJson), next_cursor: nextCursor ?? null });
  }

  @Serves(updateTranscription)
  async update(@Req() request: FastifyRequest, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { params, body } = await readInput(updateTranscription, request, (raw) => this.rules.violations(raw));
    const job = await this.changes.make(refOf(caller, params), body, jobRevisionsOf(ifMatchOf(request)));
    void reply.header('etag', versionTag(job.version)).send(wholeJobJson(job, request.server.publicUrl));
  }

  @Serves(cancelTranscription)
  async cancel(@Input() { params }: InputOf<typeof cancelTranscription>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { job } = await this.jobs.cancelJob(refOf(caller, params));
    void reply.status(202).send(job && changedJobJson(job, caller));
  }

  @Serves(orderAddOns)
  async orderAddOns(@Input() { params, body }: InputOf<typeof orderAddOns>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { job, ordered } = await this.addOns.make(refOf(caller, params), body);
    void reply.status(202).send(job && { ...changedJobJson(job, caller), ordered: ordered.map((stage) => stageName(stage) ?? stage) });
  }

  @Serves(retryTranscription)
  async retry(@Input() { params, query }: InputOf<typeof retryTranscription>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const job = await this.admission.retry(caller, params.job_id, query.force);
    void reply.status(202).send(job && changedJobJson(job, caller));
  }

  @Serves(deleteTranscription)
  async delete(@Input() { params }: InputOf<typeof deleteTranscription>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref = refOf(caller, params);
    const { erasureId } = await this.jobs.deleteJob(ref);
    void reply.status(202).header('location', `/api/v1/erasures/${erasureId}`).send({ erasure_id: erasureId });
  }
}

const refOf = ({ accountId }: Caller, { job_id: jobId }: { job_id: string }): JobRef => ({ accountId, jobId });
