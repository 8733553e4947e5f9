import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { gateway } from '@parlance/contracts';
import { QUOTA } from '../tokens.js';
import type { Quota } from './quota.js';

/** What ingest asks before it has a recording transcribed. */
@Controller()
export class UsageRpcController {
  constructor(@Inject(QUOTA) private readonly quota: Quota) {}

  @GrpcMethod('AccountService', 'reserveSeconds')
  async reserveSeconds({ accountId, jobId, run, seconds }: gateway.ReserveSecondsRequest): Promise<gateway.ReserveSecondsResponse> {
    return { granted: await this.quota.reserve(accountId, { jobId, run }, Math.round(seconds * 1000)) };
  }
}
