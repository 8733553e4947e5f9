import { Controller, Inject, Res } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import { invalidFields } from '../http/field-errors.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { UsageLedger } from './usage-ledger.js';
import { getUsage } from './usage-operations.js';
import { usageReport } from './usage-report.js';

const DAY_MS = 24 * 60 * 60_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

@Controller()
export class UsageController {
  constructor(
    @Inject(UsageLedger) private readonly ledger: UsageLedger,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Serves(getUsage)
  async get(@Input() { query }: InputOf<typeof getUsage>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const range = this.rangeOf(query);
    const { groups, totalMilliseconds } = await usageReport(this.ledger.days, accountId, range, query.group_by);
    const data = groups.map(({ group, milliseconds, requests }) => ({ group, seconds: milliseconds / 1000, requests }));
    void reply.send({ data, total_seconds: totalMilliseconds / 1000 });
  }

  private rangeOf(query: { from?: string | undefined; to?: string | undefined }): { from: string; to: string } {
    const to = query.to ?? dayOf(this.clock.now().getTime());
    const from = query.from ?? dayOf(Date.parse(to) - DEFAULT_DAYS * DAY_MS);
    const days = (Date.parse(to) - Date.parse(from)) / DAY_MS;
    if (days < 0) throw invalidFields([{ pointer: '?from', code: 'out_of_range', detail: 'This must not be after `to`.' }]);
    if (days > MAX_DAYS) throw invalidFields([{ pointer: '?from', code: 'out_of_range', detail: `This must be at most ${MAX_DAYS} days before \`to\`.` }]);
    return { from, to };
  }
}

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);
