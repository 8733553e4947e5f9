import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { ingest } from '@parlance/contracts';
import { freshnessOf, withFreshness, type Logger } from '@parlance/platform';
import { INGEST, LOG, type Ingest } from '../ingest.js';
import { erasureMessage, jobMessage } from './job-message.js';
import { makeJob, makeJobs } from './job-orders.js';
import { jobFilter, jobLimits } from './job-request.js';

/** JobService over gRPC: messages in, messages out. */
@Controller()
export class JobController {
  constructor(
    @Inject(INGEST) private readonly ingest: Ingest,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @GrpcMethod('JobService', 'createJob')
  async createJob(request: ingest.CreateJobRequest): Promise<ingest.CreateJobResponse> {
    return { job: jobMessage(await makeJob({ job: request }, this.ingest.requests)) };
  }

  @GrpcMethod('JobService', 'createJobs')
  async createJobs({ orders }: ingest.CreateJobsRequest): Promise<ingest.CreateJobsResponse> {
    return { outcomes: await makeJobs(orders, this.ingest.requests, this.log) };
  }

  @GrpcMethod('JobService', 'requireRoom')
  async requireRoom({ accountId, limits }: ingest.RequireRoomRequest): Promise<ingest.RequireRoomResponse> {
    await this.ingest.requests.requireRoom(accountId, jobLimits(limits));
    return {};
  }

  @GrpcMethod('JobService', 'getJob')
  async getJob({ accountId, jobId }: ingest.GetJobRequest): Promise<ingest.GetJobResponse> {
    const job = await this.ingest.requests.get(accountId, jobId);
    return withFreshness({ job: jobMessage(job) }, freshnessOf(job));
  }

  @GrpcMethod('JobService', 'listJobs')
  async listJobs(request: ingest.ListJobsRequest): Promise<ingest.ListJobsResponse> {
    const { jobs, nextCursor } = await this.ingest.requests.list(request.accountId, jobFilter(request));
    return { jobs: jobs.map(jobMessage), nextCursor: nextCursor ?? undefined };
  }

  @GrpcMethod('JobService', 'cancelJob')
  async cancelJob({ accountId, jobId }: ingest.CancelJobRequest): Promise<ingest.CancelJobResponse> {
    return { job: jobMessage(await this.ingest.requests.cancel(accountId, jobId)) };
  }

  @GrpcMethod('JobService', 'retryJob')
  async retryJob({ accountId, jobId, limits }: ingest.RetryJobRequest): Promise<ingest.RetryJobResponse> {
    return { job: jobMessage(await this.ingest.requests.retry(accountId, jobId, jobLimits(limits))) };
  }

  @GrpcMethod('JobService', 'deleteJob')
  async deleteJob({ accountId, jobId }: ingest.DeleteJobRequest): Promise<ingest.DeleteJobResponse> {
    return { erasureId: await this.ingest.requests.delete(accountId, jobId) };
  }

  @GrpcMethod('JobService', 'getErasure')
  async getErasure({ accountId, erasureId }: ingest.GetErasureRequest): Promise<ingest.GetErasureResponse> {
    return { erasure: erasureMessage(await this.ingest.erasures.get(accountId, erasureId)) };
  }
}
