import { Controller, Inject } from '@nestjs/common';
import type { accountWork, AccountWorkService, ingest } from '@parlance/contracts';
import { Admission } from '../jobs/admission/admission.js';
import { ErasureReceipts } from '../jobs/erasure/erasure-receipts.js';
import { JobRequests } from '../jobs/job-requests.js';
import { KEPT, type AccountErasure } from './account-erasure.js';
import { AccountErasures } from './account-erasures.js';
import { AccountHolds, type AccountHold } from './account-holds.js';

/** The jobs of an account as a whole, for the gateway. */
@Controller()
export class AccountWorkController implements AccountWorkService {
  constructor(
    @Inject(Admission) private readonly admission: Pick<Admission, 'close' | 'reopen'>,
    @Inject(JobRequests) private readonly requests: Pick<JobRequests, 'cancelAll' | 'hold' | 'liftHold'>,
    @Inject(AccountErasures) private readonly erasures: AccountErasures,
    @Inject(AccountHolds) private readonly holds: AccountHolds,
    @Inject(ErasureReceipts) private readonly receipts: Pick<ErasureReceipts, 'signAccount'>,
  ) {}

  async closeAccount({ accountId }: accountWork.CloseAccountRequest): Promise<accountWork.CloseAccountResponse> {
    await this.erasures.requireNoHold(accountId);
    await this.admission.close(accountId);
    await this.requests.cancelAll(accountId);
    return {};
  }

  async reopenAccount({ accountId }: accountWork.ReopenAccountRequest): Promise<accountWork.ReopenAccountResponse> {
    await this.admission.reopen(accountId);
    return {};
  }

  async beginAccountErasure({ erasureId, accountId, requestedAt, items }: accountWork.BeginAccountErasureRequest): Promise<accountWork.BeginAccountErasureResponse> {
    await this.erasures.requireNoHold(accountId);
    return { erasure: await this.message(await this.erasures.begin(erasureId, accountId, (requestedAt ?? new Date()).toISOString(), items)) };
  }

  async eraseAccountJobs({ accountId }: accountWork.EraseAccountJobsRequest): Promise<accountWork.EraseAccountJobsResponse> {
    return { left: await this.erasures.eraseJobs(accountId) };
  }

  async completeAccountErasure({ erasureId }: accountWork.CompleteAccountErasureRequest): Promise<accountWork.CompleteAccountErasureResponse> {
    return { erasure: await this.message(await this.erasures.complete(erasureId)) };
  }

  async getAccountErasure({ erasureId }: accountWork.GetAccountErasureRequest): Promise<accountWork.GetAccountErasureResponse> {
    return { erasure: await this.message(await this.erasures.get(erasureId)) };
  }

  async getAccountHold({ accountId }: accountWork.GetAccountHoldRequest): Promise<accountWork.GetAccountHoldResponse> {
    const hold = await this.holds.of(accountId);
    return { hold: hold && holdMessage(hold) };
  }

  async setLegalHold({ accountId, jobId, hold }: accountWork.SetLegalHoldRequest): Promise<accountWork.SetLegalHoldResponse> {
    const { reason = '', until, byOperator = false } = hold ?? {};
    const given = { reason, ...(until && { until: until.toISOString() }), ...(byOperator && { byOperator: true as const }) };
    if (jobId === undefined) await this.holds.set(accountId, given);
    else await this.requests.hold(accountId, jobId, given);
    return {};
  }

  async liftLegalHold({ accountId, jobId, byOperator }: accountWork.LiftLegalHoldRequest): Promise<accountWork.LiftLegalHoldResponse> {
    if (jobId === undefined) await this.holds.lift(accountId, byOperator);
    else await this.requests.liftHold(accountId, jobId, byOperator);
    return {};
  }

  private async message(erasure: AccountErasure): Promise<accountWork.AccountErasure> {
    const { id, accountId, createdAt, completedAt, items } = erasure;
    const status = completedAt === undefined ? 'pending' : 'completed';
    return { erasureId: id, accountId, status, requestedAt: new Date(createdAt), completedAt: completedAt === undefined ? undefined : new Date(completedAt), items, kept: [...KEPT], jws: await this.receipts.signAccount(erasure) };
  }
}

const holdMessage = ({ reason, until, byOperator, since }: AccountHold): ingest.LegalHold => ({ reason, until: until === undefined ? undefined : new Date(until), byOperator: byOperator ?? false, since: new Date(since) });
