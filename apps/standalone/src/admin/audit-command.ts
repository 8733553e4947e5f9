import type { AuditReport } from '@parlance/gateway/operators';
import { systemClock } from '@parlance/platform';
import type { DocumentDatabase } from '@parlance/storage';
import { Command, InvalidArgumentError } from 'commander';
import { AdminFailure, EXIT_FAILED } from './admin-failure.js';
import { json, type AdminTools } from './admin-tools.js';
import { jsonOption, timeoutOption, type ServerOptions } from './options.js';
import { table } from './table.js';

interface Head {
  sequence: number;
  hash: string;
}

type VerifyOptions = ServerOptions & { account?: string; head?: Head };
type ExportOptions = ServerOptions & { account: string };

/** Checks and exports the audit log: who read and changed what. */
export function auditCommand({ print, say, withDocuments }: AdminTools): Command {
  const onGateway = ({ timeout }: ServerOptions, work: (documents: DocumentDatabase) => Promise<void>) => withDocuments('gateway', { timeout, onWait: (reason) => say(`Waiting for MongoDB: ${reason}`) }, work);
  const audit = new Command('audit').description('who read and changed what of the accounts');
  audit
    .command('verify')
    .description('check the chain of records of each account; a record that was changed, removed, inserted or moved is named')
    .option('--account <id>', 'only of this account')
    .option('--head <sequence:hash>', 'a head that was printed before and kept elsewhere, of the account: shows whether the newest records were removed or all were written anew', headOf)
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action((options: VerifyOptions) => {
      if (options.head && options.account === undefined) throw new AdminFailure('--head needs --account.', 2);
      return onGateway(options, async (documents) => {
        const { verifyAudit } = await import('@parlance/gateway/operators');
        const report = await verifyAudit(documents, systemClock, { account: options.account, head: options.head });
        print(options.json ? json(reportJson(report)) : reportText(report));
        const { length } = report.faults;
        if (length > 0) throw new AdminFailure(`The audit log is not as it was written: ${length} account${length === 1 ? '' : 's'}.`, EXIT_FAILED);
      });
    });
  audit
    .command('export')
    .description('print the records of an account as lines of JSON, oldest first')
    .requiredOption('--account <id>', 'the account')
    .addOption(timeoutOption())
    .action((options: ExportOptions) =>
      onGateway(options, async (documents) => {
        const { AuditReader, auditRecordJson } = await import('@parlance/gateway/operators');
        for await (const record of new AuditReader(documents).all({ accountId: options.account })) print(JSON.stringify(auditRecordJson(record)));
      }),
    );
  return audit;
}

function headOf(text: string): Head {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (sequence === undefined || hash === undefined) throw new InvalidArgumentError('It must have the form 1234:<64 hexadecimal digits>.');
  return { sequence: Number(sequence), hash };
}

const reportJson = ({ accounts, faults }: AuditReport) => ({
  ok: faults.length === 0,
  accounts: accounts.map(({ accountId, records, removed, head }) => ({ account_id: accountId, records, removed, head })),
  faults: faults.map(({ accountId, sequence, detail }) => ({ account_id: accountId, sequence, detail })),
});

function reportText({ accounts, faults }: AuditReport): string {
  const lines = faults.map(({ accountId, sequence, detail }) => `${accountId} record ${sequence}: ${detail}`);
  return [...lines, table(['ACCOUNT', 'RECORDS', 'REMOVED BY RETENTION', 'HEAD'], accounts.map(({ accountId, records, removed, head }) => [accountId, String(records), String(removed), `${head.sequence}:${head.hash}`]))].join('\n');
}
