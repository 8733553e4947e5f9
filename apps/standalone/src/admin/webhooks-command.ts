import { systemClock } from '@parlance/platform';
import type { FailedWebhooks, WebhookDelivery, WebhooksOf } from '@parlance/webhook-dispatcher/operators';
import { Command, InvalidArgumentError } from 'commander';
import { AdminFailure, EXIT_USAGE } from './admin-failure.js';
import { json, type AdminTools } from './admin-tools.js';
import { jsonOption, positiveInteger, timeoutOption, type ServerOptions } from './options.js';
import { shortened, table } from './table.js';

interface Chosen extends ServerOptions {
  endpoint?: string;
  job?: string;
  from?: string;
  to?: string;
}

/** Webhooks that were given up: which and why, and all of them again once their receiver works again. */
export function webhooksCommand(tools: AdminTools): Command {
  const { print } = tools;
  const webhooks = new Command('webhooks').description('manage webhooks that were given up');
  choosing(webhooks.command('failed').description('list them oldest first, with receiver and reason'))
    .option('--limit <number>', 'maximum number of entries', positiveInteger, 100)
    .action((options: Chosen & { limit: number }) => {
      const whose = whoseOf(options);
      return onWebhooks(tools, options, async (failed) => {
        const found: WebhookDelivery[] = [];
        for await (const delivery of failed.of(whose, options)) if (found.push(delivery) === options.limit) break;
        print(options.json ? json(found.map(deliveryJson)) : deliveryTable(found));
      });
    });
  choosing(webhooks.command('resend').description('send all of them again, oldest first, each with the whole retry schedule'))
    .option('--dry-run', 'only show how many')
    .action((options: Chosen & { dryRun?: true }) => {
      const whose = whoseOf(options);
      return onWebhooks(tools, options, async (failed) => {
        let resent = 0;
        for await (const delivery of failed.of(whose, options)) {
          if (options.dryRun || (await failed.resend(delivery))) resent += 1;
        }
        const done = options.dryRun ? 'would_resend' : 'resent';
        print(options.json ? json({ [done]: resent }) : `${done.replace('_', ' ')} ${resent} webhooks`);
      });
    });
  return webhooks;
}

const choosing = (command: Command): Command =>
  command
    .option('--endpoint <id>', 'to this endpoint (whe_…)')
    .option('--job <id>', 'about this job, to its callback_url and to endpoints')
    .option('--from <time>', 'created at this time or later (RFC 3339)', time)
    .option('--to <time>', 'created before this time (RFC 3339)', time)
    .addOption(timeoutOption())
    .addOption(jsonOption());

/** @throws AdminFailure */
function whoseOf({ endpoint, job }: Chosen): WebhooksOf {
  if (endpoint !== undefined && job === undefined) return { endpointId: endpoint };
  if (job !== undefined && endpoint === undefined) return { jobId: job };
  throw new AdminFailure('Give --endpoint or --job.', EXIT_USAGE);
}

async function onWebhooks({ say, withDocuments, withServiceTasks }: AdminTools, { timeout }: ServerOptions, work: (failed: FailedWebhooks) => Promise<void>): Promise<void> {
  // Only this command waits for it to load.
  const { FailedWebhooks: Failed } = await import('@parlance/webhook-dispatcher/operators');
  const waiting = { timeout, onWait: (reason: string) => say(`Waiting for MongoDB: ${reason}`) };
  await withDocuments('webhook-dispatcher', waiting, (documents) =>
    withServiceTasks('webhook-dispatcher', (tasks) => work(new Failed(documents, tasks, systemClock))),
  );
}

function time(text: string): string {
  const date = new Date(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(date.getTime())) throw new InvalidArgumentError('It must be a time like 2026-03-01T09:30:00Z.');
  return date.toISOString();
}

const reasonOf = ({ error, attempts }: WebhookDelivery): string => error ?? attempts.at(-1)?.error ?? '';

const deliveryJson = (delivery: WebhookDelivery) => ({
  delivery_id: delivery.id,
  account_id: delivery.accountId,
  job_id: delivery.jobId,
  endpoint_id: delivery.endpointId,
  event_id: delivery.eventId,
  event_type: delivery.eventType,
  url: delivery.url,
  created_at: delivery.createdAt,
  attempts: delivery.attempts.length,
  error: reasonOf(delivery),
});

function deliveryTable(found: readonly WebhookDelivery[]): string {
  if (found.length === 0) return 'No failed webhooks.';
  const rows = found.map((delivery) => [delivery.id, delivery.createdAt, delivery.accountId, delivery.eventType, String(delivery.attempts.length), shortened(reasonOf(delivery))]);
  return table(['ID', 'MADE', 'ACCOUNT', 'EVENT', 'TRIES', 'ERROR'], rows);
}
