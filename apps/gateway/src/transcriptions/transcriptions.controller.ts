import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import { ingest, type JobService, type TranscriptService } from '@parlance/contracts';
import { toAppError } from '@parlance/platform';
import { JOB_SERVICE, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { transcriptJson } from '@parlance/transcript';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ifMatchOf, matchesTag, versionTag } from '../http/entity-tags.js';
import { invalidFields } from '../http/field-errors.js';
import { OpenStreams } from '../http/open-streams.js';
import { withReadyStart } from '../http/ready-start.js';
import { readAddress, readInput, requirePlainBody, type InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import { present } from '../http/schema.js';
import { idempotencyKeyOf } from '../idempotency/idempotency-key.js';
import { credentialOf, type Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { callerOf } from '../keys/key-guard.js';
import { listedProject, requireInProject } from '../keys/project-boundary.js';
import { Admission } from './admission.js';
import { Creation, type CreationAnswer } from './creation.js';
import { JobChanges, jobRevisionsOf } from './job-changes.js';
import { hasTranscript, jobJson, stageName, timeText, wholeJobJson } from './job-json.js';
import { JOB_STATUS } from './job-names.js';
import { diarizationOf, summaryOf } from './job-options.js';
import { awaited, versionIn } from './job-news.js';
import { JobReader, type JobRef } from './job-reader.js';
import { RequestRules } from './request-rules.js';
import {
  cancelTranscription,
  createTranscription,
  deleteTranscription,
  getErasure,
  getTranscription,
  listErasures,
  listTranscriptions,
  orderAddOns,
  retryTranscription,
  updateTranscription,
} from './transcription-operations.js';
import { StoredUploadCreation } from './stored-upload-creation.js';
import { withMember } from './with-member.js';
import { trackOptions } from './track-options.js';
import { UploadCreation } from './upload-creation.js';

@Controller()
export class TranscriptionsController {
  constructor(
    @Inject(JOB_SERVICE) private readonly jobs: JobService,
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: Pick<TranscriptService, 'listSpeakers'>,
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(Creation) private readonly creation: Creation,
    @Inject(UploadCreation) private readonly uploadCreation: UploadCreation,
    @Inject(StoredUploadCreation) private readonly storedUploadCreation: StoredUploadCreation,
    @Inject(JobChanges) private readonly changes: JobChanges,
    @Inject(RequestRules) private readonly rules: RequestRules,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @Serves(createTranscription)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const caller = callerOf(request);
    const { accountId, keyId, projectId } = caller;
    const creation = { accountId, keyId, projectId, credentialId: credentialOf(caller), idempotencyKey: idempotencyKeyOf(request), requestId: request.id };
    if (request.isMultipart()) {
      requirePlainBody(request);
      const { errors } = readAddress(createTranscription, request);
      if (errors.length > 0) throw invalidFields(errors);
      return sendAccepted(reply, await this.uploadCreation.byForm(creation, request));
    }
    const { body, rawBody } = await readInput(createTranscription, request, (raw) => this.rules.violations(raw));
    const { audio_url: audioUrl, audio_headers: audioHeaders, upload_id: uploadId, files, ...options } = body;
    if (files) return sendAccepted(reply, await this.storedUploadCreation.byIds(creation, files.map((file) => file.upload_id), trackOptions(files, options), rawBody));
    if (uploadId !== undefined) return sendAccepted(reply, await this.storedUploadCreation.byIds(creation, [uploadId], options, rawBody));
    return sendAccepted(reply, await this.creation.byUrl(creation, { source: { $case: 'audioUrl', value: audioUrl ?? '' }, options, audioHeaders }, rawBody));
  }

  @Serves(getTranscription)
  async get(@Input() { params, query }: InputOf<typeof getTranscription>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ref = { accountId, jobId: params.job_id };
    const isAwaited = awaited(query.wait_for, versionIn(request.headers['if-none-match']));
    const job = query.wait === undefined ? await this.reader.get(ref) : await this.reader.getWhen(ref, isAwaited, query.wait * 1000, await this.streams.hold(reply));
    const pages = query.include !== 'none' && hasTranscript(job) ? await this.reader.transcript(ref, query.include === 'words') : undefined;
    // Speakers can be named and merged once the job is over.
    const transcript = pages?.first.header ? `.${pages.first.header.version}` : '';
    const etag = `W/"${job.version}${transcript}${query.include ? `-${query.include}` : ''}"`;
    const headers = { etag, 'cache-control': 'private, no-cache' };
    if (matchesTag(request.headers['if-none-match'], etag)) {
      await pages?.rest.return(undefined);
      return void reply.status(304).headers(headers).send();
    }
    const json = JSON.stringify(wholeJobJson(job, request.server.publicUrl));
    const answer = pages ? Readable.from(await withReadyStart(withMember(json, 'transcript', transcriptJson(pages.first, pages.rest)))) : json;
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
    sendJob(reply, job);
  }

  @Serves(orderAddOns)
  async orderAddOns(@Input() { params, body }: InputOf<typeof orderAddOns>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const diarization = body.diarization === false ? undefined : diarizationOf(body.diarization);
    const summary = body.summary === false ? undefined : summaryOf(body.summary);
    const ref = refOf(caller, params);
    const transcriptRevision = await this.revisionOf(ref);
    const { job, ordered } = await this.jobs.orderAddOns({ ...ref, diarization, summary, highlights: body.highlights, chapters: body.chapters, entities: body.entities, transcriptRevision });
    void reply.status(202).send(job && { ...jobJson(job), ordered: ordered.map((stage) => stageName(stage) ?? stage) });
  }

  /** 0 without a transcript. */
  private async revisionOf(ref: JobRef): Promise<number> {
    try {
      return (await this.transcripts.listSpeakers(ref)).revision ?? 0;
    } catch (error) {
      if (toAppError(error).kind === 'not_found') return 0;
      throw error;
    }
  }

  @Serves(retryTranscription)
  async retry(@Input() { params, query }: InputOf<typeof retryTranscription>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const job = await this.admission.retry(caller, params.job_id, query.force);
    sendJob(reply, job);
  }

  @Serves(deleteTranscription)
  async delete(@Input() { params }: InputOf<typeof deleteTranscription>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref = refOf(caller, params);
    const { erasureId } = await this.jobs.deleteJob(ref);
    void reply.status(202).header('location', `/api/v1/erasures/${erasureId}`).send({ erasure_id: erasureId });
  }

  @Serves(listErasures)
  async erasures(@Input() { query }: InputOf<typeof listErasures>, @CurrentCaller() { accountId, projectId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { erasures, nextCursor } = await this.jobs.listErasures({ accountId, projectId, ...query });
    void reply.send({ data: erasures.map(erasureJson), next_cursor: nextCursor ?? null });
  }

  @Serves(getErasure)
  async erasure(@Input() { params }: InputOf<typeof getErasure>, @CurrentCaller() { accountId, projectId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref = { accountId, erasureId: params.erasure_id };
    const { erasure } = await this.jobs.getErasure(ref);
    void reply.send(erasureJson(requireInProject({ projectId }, erasure, 'The erasure')));
  }
}

const refOf = ({ accountId }: Caller, { job_id: jobId }: { job_id: string }): JobRef => ({ accountId, jobId });

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
