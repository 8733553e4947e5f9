import { dayIdOf, plus, type Amount, type UsageEntry, type UsageLedger } from '@parlance/gateway/usage';
import { billedMs, isDeleted, billableMs, usageIdOf, type Bill, type Job, type JobDocument } from '@parlance/ingest/jobs';
import type { Clock } from '@parlance/platform';
import type { DocumentCollection } from '@parlance/storage';
import { everyDocument } from './every-document.js';
import type { LedgerFault } from './ledger-fault.js';
import { sumFaults } from './ledger-sums.js';

export interface LedgerReport extends Amount {
  /** Jobs that were billed, those since erased included. */
  jobs: number;
  /** Bills so young that their entry may be under way. */
  pending: number;
  faults: LedgerFault[];
}

export interface LedgerSources {
  jobs: DocumentCollection<JobDocument>;
  ledger: UsageLedger;
  clock: Clock;
}

export interface LedgerCheckOptions {
  /** Only of this account; then erased jobs are looked up from their entries alone, as they no longer name it. */
  account?: string;
  /** A bill is younger than this, in ms, while its entry is on its way. */
  graceMs: number;
}

/** A job in one of these may have been billed. The last ones are those that a job may reach during the check. */
const BILLED_STATUSES = ['completed', 'failed', 'canceled', 'deleted'] as const;
const MAX_FAULTS = 1000;

/** Proves the ledger against the jobs, both ways, and the sums against the ledger. May run beside the servers: a job is billed before its entry is written. */
export async function checkLedger(sources: LedgerSources, options: LedgerCheckOptions): Promise<LedgerReport> {
  const report: LedgerReport = { jobs: 0, requests: 0, milliseconds: 0, pending: 0, faults: [] };
  const sums = new Map<string, Map<string, Amount>>();
  const where = options.account === undefined ? {} : { accountId: options.account };
  for await (const page of everyDocument(sources.ledger.entries, { where })) {
    for (const entry of page) addEntry(report, sums, entry);
    const found = await Promise.all(page.map(async (entry) => entryFault(entry, (await sources.jobs.get(entry.jobId))?.document)));
    addFaults(report, found);
  }
  for (const status of BILLED_STATUSES) {
    for await (const page of everyDocument(sources.jobs, { where: { ...where, status } })) {
      await Promise.all(page.map((job) => checkJob(sources, options, report, job)));
    }
  }
  addFaults(report, await sumFaults(sources.ledger, sums, options));
  return report;
}

function addEntry(report: LedgerReport, sums: Map<string, Map<string, Amount>>, entry: UsageEntry): void {
  const amount = { milliseconds: entry.milliseconds, requests: 1 };
  Object.assign(report, plus(report, amount));
  const days = sums.get(entry.accountId) ?? new Map<string, Amount>();
  sums.set(entry.accountId, days);
  days.set(dayIdOf(entry), plus(days.get(dayIdOf(entry)), amount));
}

function entryFault({ id, jobId, run, milliseconds, accountId }: UsageEntry, job: JobDocument | undefined): LedgerFault | undefined {
  const bill = job?.bills?.find((each) => each.run === run);
  if (!job || !bill) return { fault: 'unproved', id, detail: job ? `${jobId} was not billed for run ${run}` : `the job ${jobId} does not exist` };
  if (bill.milliseconds !== milliseconds) return { fault: 'different', id, detail: `${milliseconds} ms, and ${jobId} was billed ${bill.milliseconds} ms` };
  if (!isDeleted(job) && job.accountId !== accountId) return { fault: 'different', id, detail: `${accountId}, but ${jobId} belongs to ${job.accountId}` };
  return undefined;
}

async function checkJob({ ledger, clock }: LedgerSources, { graceMs }: LedgerCheckOptions, report: LedgerReport, job: JobDocument): Promise<void> {
  const bills = job.bills ?? [];
  if (bills.length > 0) report.jobs += 1;
  if (!isDeleted(job)) addFaults(report, [ownFault(job, bills)]);
  for (const { run, billedAt } of bills) {
    const id = usageIdOf(job.id, run);
    if (await ledger.entries.get(id)) continue;
    if (clock.now().getTime() - Date.parse(billedAt) < graceMs) report.pending += 1;
    else addFaults(report, [{ fault: 'missing', id, detail: `${job.id} was billed for run ${run} at ${billedAt}` }]);
  }
}

/** The transcribed or decoded time of a job, the time that its owner can read, and its bills must be equal. */
function ownFault(job: Job, bills: readonly Bill[]): LedgerFault | undefined {
  const [billed, told] = [billedMs(bills), Math.round((job.billedSeconds ?? 0) * 1000)];
  // Failed jobs are billed for decoding only, and not always.
  const billable = job.status === 'failed' ? billed : billableMs(job);
  if (billed === told && billed === billable && new Set(bills.map(({ run }) => run)).size === bills.length) return undefined;
  return { fault: 'misbilled', id: job.id, detail: `to be billed ${billable} ms, billed ${billed} ms, told ${told} ms` };
}

const addFaults = (report: LedgerReport, found: readonly (LedgerFault | undefined)[]): void => {
  for (const fault of found) if (fault && report.faults.length < MAX_FAULTS) report.faults.push(fault);
};
