import { Controller, Inject, Module, Res } from '@nestjs/common';
import type { AccountWorkService } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import { ACCOUNT_WORK_SERVICE, CLOCK } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import { nameResources } from '../audit/audit-requests.js';
import { invalidFields } from '../http/field-errors.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { legalHoldJson } from './legal-hold-schema.js';
import { liftLegalHold, setLegalHold } from './legal-hold-operations.js';

/** Legal holds of an account on itself and on its jobs. */
@Controller()
class LegalHoldsController {
  constructor(
    @Inject(ACCOUNT_WORK_SERVICE) private readonly work: Pick<AccountWorkService, 'setLegalHold' | 'liftLegalHold'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Serves(setLegalHold)
  async set(@Input() { body: { job_id: jobId, reason, until: end } }: InputOf<typeof setLegalHold>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const now = this.clock.now();
    const until = end === undefined ? undefined : new Date(end);
    if (until && until <= now) throw invalidFields([{ pointer: '/until', code: 'invalid_value', detail: 'This must be in the future.' }]);
    const hold = { reason, until, byOperator: false, since: now };
    if (jobId !== undefined) nameResources(reply.request, [jobId]);
    await this.work.setLegalHold({ accountId, jobId, hold });
    void reply.send(legalHoldJson(hold));
  }

  @Serves(liftLegalHold)
  async lift(@Input() { query: { job_id: jobId } }: InputOf<typeof liftLegalHold>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    if (jobId !== undefined) nameResources(reply.request, [jobId]);
    await this.work.liftLegalHold({ accountId, jobId, byOperator: false });
    void reply.status(204).send();
  }
}

@Module({ controllers: [LegalHoldsController] })
export class LegalHoldsModule {}
