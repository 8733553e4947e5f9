import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidFields } from '../http/field-errors.js';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { callerOf } from '../keys/key-guard.js';
import { CLOCK, USAGE_LEDGER } from '../tokens.js';
import type { UsageLedger } from './usage-ledger.js';
import { getUsage } from './usage-operations.js';
import { usageReport } from './usage-report.js';

const DAY_MS = 24 * 60 * 60_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

@Controller()
export class UsageController {
  constructor(
    @Inject(USAGE_LEDGER) private readonly ledger: UsageLedger,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Serves(getUsage)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { query } = await readInput(getUsage, request);
    const range = this.rangeOf(query);
    const { groups, totalMilliseconds } = await usageReport(this.ledger.days, callerOf(request).accountId, range, query.group_by);
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
