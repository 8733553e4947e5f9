import { Controller, Inject } from '@nestjs/common';
import type { CallOptions, ingest, JobService } from '@parlance/contracts';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { ClipCutter } from '../media/clip-cutter.js';
import { ErasureReceipts } from '../jobs/erasure/erasure-receipts.js';
import { ErasureStore } from '../jobs/erasure/erasure-store.js';
import { JobRequests } from '../jobs/job-requests.js';
import { LiveRequests } from '../jobs/live-requests.js';
import type { Erasure } from '../jobs/erasure/erasure.js';
import { stageMessage } from '../jobs/state/job-events.js';
import { SealedUploads } from '../media/sealed/sealed-uploads.js';
import { SealedResults } from '../sealing/sealed-results.js';
import { erasureMessage, jobMessage } from './job-message.js';
import { makeJob, makeJobs } from './job-orders.js';
import { clipFormat, jobChanges, jobFilter, jobLimits, pageLimit } from './job-request.js';
import { liveEnd } from './live-request.js';

/** Jobs as the other services see them. */
@Controller()
export class JobController implements JobService {
  constructor(
    @Inject(JobRequests) private readonly requests: JobRequests,
    @Inject(LiveRequests) private readonly live: LiveRequests,
    @Inject(ErasureStore) private readonly erasures: ErasureStore,
    @Inject(ErasureReceipts) private readonly receipts: ErasureReceipts,
    @Inject(SealedResults) private readonly sealed: Pick<SealedResults, 'read'>,
    @Inject(SealedUploads) private readonly uploads: Pick<SealedUploads, 'ring'>,
    @Inject(ClipCutter) private readonly clips: Pick<ClipCutter, 'cut'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async createJob(request: ingest.CreateJobRequest): Promise<ingest.CreateJobResponse> {
    return { job: jobMessage(await makeJob({ job: request }, this.requests)) };
  }

  async createJobs({ orders }: ingest.CreateJobsRequest): Promise<ingest.CreateJobsResponse> {
    return { outcomes: await makeJobs(orders, this.requests, this.log) };
  }

  async requireRoom({ accountId, limits }: ingest.RequireRoomRequest): Promise<ingest.RequireRoomResponse> {
    await this.requests.requireRoom(accountId, jobLimits(limits));
    return {};
  }

  async getJob({ accountId, jobId }: ingest.GetJobRequest): Promise<ingest.GetJobResponse> {
    return { job: jobMessage(await this.requests.get(accountId, jobId)) };
  }

  async listJobs(request: ingest.ListJobsRequest): Promise<ingest.ListJobsResponse> {
    const { jobs, nextCursor } = await this.requests.list(request.accountId, jobFilter(request));
    return { jobs: jobs.map(jobMessage), nextCursor: nextCursor ?? undefined };
  }

  async updateJob(request: ingest.UpdateJobRequest): Promise<ingest.UpdateJobResponse> {
    const { accountId, jobId, ifMatch } = request;
    return { job: jobMessage(await this.requests.update(accountId, jobId, jobChanges(request), ifMatch)) };
  }

  async orderAddOns({ accountId, jobId, diarization, summary, highlights, chapters, entities, transcriptRevision }: ingest.OrderAddOnsRequest): Promise<ingest.OrderAddOnsResponse> {
    const order = { highlights, chapters, entities, transcriptRevision, ...(diarization && { diarization: { ...diarization, enabled: true } }), ...(summary && { summary: { ...summary, enabled: true } }) };
    const { job, ordered } = await this.requests.orderAddOns(accountId, jobId, order);
    return { job: jobMessage(job), ordered: ordered.map(stageMessage) };
  }

  async *cutClip({ accountId, jobId, start, duration, format }: ingest.CutClipRequest, { signal }: CallOptions = {}): AsyncGenerator<ingest.CutClipResponse> {
    const isRedacted = (await this.requests.requireMedia(accountId, jobId)).options.redaction?.audio !== undefined;
    for await (const data of this.clips.cut({ accountId, jobId, isRedacted, start, duration, format: clipFormat(format), ...(signal && { signal }) })) yield { data: Buffer.from(data) };
  }

  async *getSealedResult({ accountId, jobId }: ingest.GetSealedResultRequest): AsyncGenerator<ingest.GetSealedResultResponse> {
    const job = await this.requests.get(accountId, jobId);
    for await (const data of await this.sealed.read(job)) yield { data: Buffer.from(data) };
  }

  async cancelJob({ accountId, jobId }: ingest.CancelJobRequest): Promise<ingest.CancelJobResponse> {
    return { job: jobMessage(await this.requests.cancel(accountId, jobId)) };
  }

  async retryJob({ accountId, jobId, limits, force }: ingest.RetryJobRequest): Promise<ingest.RetryJobResponse> {
    return { job: jobMessage(await this.requests.retry(accountId, jobId, jobLimits(limits), force)) };
  }

  async finishLive(request: ingest.FinishLiveRequest): Promise<ingest.FinishLiveResponse> {
    return { job: jobMessage(await this.live.finish(request.accountId, request.jobId, liveEnd(request))) };
  }

  async deleteJob({ accountId, jobId }: ingest.DeleteJobRequest): Promise<ingest.DeleteJobResponse> {
    return { erasureId: await this.requests.delete(accountId, jobId) };
  }

  async getErasure({ accountId, erasureId }: ingest.GetErasureRequest): Promise<ingest.GetErasureResponse> {
    return { erasure: await this.receipt(await this.erasures.get(accountId, erasureId)) };
  }

  async listErasures({ accountId, projectId, limit, cursor }: ingest.ListErasuresRequest): Promise<ingest.ListErasuresResponse> {
    const { erasures, nextCursor } = await this.erasures.list(accountId, { projectId, limit: pageLimit(limit), cursor });
    return { erasures: await Promise.all(erasures.map((erasure) => this.receipt(erasure))), nextCursor: nextCursor ?? undefined };
  }

  async listReceiptKeys(): Promise<ingest.ListReceiptKeysResponse> {
    const keys = await this.receipts.publicKeys();
    return { keys: keys.map((key) => ({ jwk: JSON.stringify(key) })) };
  }

  async listMediaKeys(): Promise<ingest.ListMediaKeysResponse> {
    return { keys: await this.uploads.ring.offered() };
  }

  private async receipt(erasure: Erasure): Promise<ingest.Erasure> {
    return erasureMessage(erasure, await this.receipts.sign(erasure));
  }
}
