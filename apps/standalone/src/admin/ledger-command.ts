import { UsageLedger, type UsageEntry } from '@parlance/gateway/usage';
import { jobCollection } from '@parlance/ingest/jobs';
import { systemClock } from '@parlance/platform';
import { Command } from 'commander';
import { AdminFailure, EXIT_FAILED } from './admin-failure.js';
import { json, type AdminTools } from './admin-tools.js';
import { checkLedger, type LedgerReport, type LedgerSources } from './ledger-check.js';
import { jsonOption, positiveInteger, timeoutOption, type ServerOptions } from './options.js';
import { table } from './table.js';
import { withServiceDocuments } from './with-service-documents.js';

type CheckOptions = ServerOptions & { account?: string; grace: number };
type ShowOptions = ServerOptions & { account?: string; job?: string; limit: number };

/** Lists the entries of the usage ledger and checks them. */
export function ledgerCommand({ env, print, say }: AdminTools): Command {
  const withSources = ({ timeout }: ServerOptions, work: (sources: LedgerSources) => Promise<void>) => {
    const wait = { timeout, onWait: (reason: string) => say(`Waiting for MongoDB: ${reason}`) };
    return withServiceDocuments(env, 'gateway', wait, (gateway) =>
      withServiceDocuments(env, 'ingest', wait, (ingest) => work({ jobs: ingest.collection(jobCollection), ledger: new UsageLedger(gateway), clock: systemClock })),
    );
  };
  const ledger = new Command('ledger').description('usage of the accounts, to the millisecond');
  ledger
    .command('check')
    .description('check the ledger against the jobs: each billed job has exactly one entry per run, of the right length, and no entry lacks a job')
    .option('--account <id>', 'only of this account')
    .option('--grace <seconds>', 'maximum delay of an entry after its job', positiveInteger, 300)
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action((options: CheckOptions) =>
      withSources(options, async (sources) => {
        const report = await checkLedger(sources, { graceMs: options.grace * 1000, ...(options.account !== undefined && { account: options.account }) });
        print(options.json ? json(reportJson(report)) : reportText(report));
        if (report.faults.length > 0) throw new AdminFailure(`The ledger is inconsistent: ${report.faults.length} fault${report.faults.length === 1 ? '' : 's'}.`, EXIT_FAILED);
      }),
    );
  ledger
    .command('show')
    .description('entries, newest first')
    .option('--account <id>', 'only of this account')
    .option('--job <id>', 'only of this job')
    .option('--limit <number>', 'maximum number of entries', positiveInteger, 100)
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action((options: ShowOptions) =>
      withSources(options, async ({ ledger: { entries } }) => {
        const { account: accountId, job: jobId, limit } = options;
        const { items } = await entries.find({ where: jobId === undefined ? { accountId } : { jobId }, limit });
        const found = items.map(({ document }) => document).filter((entry) => accountId === undefined || entry.accountId === accountId);
        print(options.json ? json(found.map(entryJson)) : table(['ENDED', 'ACCOUNT', 'JOB', 'RUN', 'KEY', 'OPERATION', 'SECONDS'], found.map(entryRow)));
      }),
    );
  return ledger;
}

const reportJson = ({ jobs, requests, milliseconds, pending, faults }: LedgerReport) => ({ ok: faults.length === 0, jobs, entries: requests, seconds: milliseconds / 1000, pending, faults });

function reportText({ jobs, requests, milliseconds, pending, faults }: LedgerReport): string {
  const lines = faults.map(({ fault, id, detail }) => `${fault.padEnd(9)}  ${id}: ${detail}`);
  return [...lines, `${jobs} billed jobs, ${requests} entries, ${milliseconds / 1000} s; ${pending} in progress`].join('\n');
}

const entryJson = ({ id, createdAt, accountId, jobId, run, keyId, operation, milliseconds, day }: UsageEntry) => ({
  usage_id: id,
  ended_at: createdAt,
  account_id: accountId,
  job_id: jobId,
  run,
  key_id: keyId ?? null,
  operation,
  seconds: milliseconds / 1000,
  day,
});

const entryRow = ({ createdAt, accountId, jobId, run, keyId, operation, milliseconds }: UsageEntry): string[] => [createdAt, accountId, jobId, String(run), keyId ?? '-', operation, String(milliseconds / 1000)];
