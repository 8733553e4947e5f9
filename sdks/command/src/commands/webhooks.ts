import type { WebhookEvent } from '@parlance/client';
import type { Command } from 'commander';
import { httpUrl, type Context } from '../context.js';
import { failureOf, Interruption } from '../failures.js';
import { newEvents } from '../forward/account-events.js';
import { newSecret, secretBytes, webhookHeaders } from '../forward/sign.js';
import { printable } from '../terminal.js';

interface Options {
  forwardTo?: string;
  events?: string;
}

/** As long as the server waits for a receiver. */
const TIMEOUT_MS = 15_000;

/** Adds `parlance webhooks`. */
export function addWebhooks(program: Command, context: Context): void {
  program
    .command('webhooks')
    .description('work with webhooks')
    .command('listen')
    .description('print the events of the account as they happen, and forward them to a local address')
    .option('--forward-to <url>', 'send each event to this address as a signed webhook')
    .option('--events <types>', 'only these types, separated by commas, such as transcription.completed')
    .addHelpText('after', '\nForwarded events are signed by Standard Webhooks with PARLANCE_WEBHOOK_SECRET, or else with a new secret, which is printed.')
    .action((options: Options) => listen(options, context));
}

async function listen({ forwardTo, events }: Options, context: Context): Promise<void> {
  const target = forwardTo === undefined ? undefined : httpUrl(forwardTo, '--forward-to');
  const given = context.env['PARLANCE_WEBHOOK_SECRET'];
  const secret = given ?? newSecret();
  secretBytes(secret);
  const types = events?.split(',').map((type) => type.trim());
  const client = await context.client();
  const { baseUrl } = await context.connection();
  const { terminal } = context;
  if (target !== undefined && given === undefined) terminal.error(`The secret of these webhooks: ${secret}`);
  terminal.note(`Listening for events of ${baseUrl}. Ctrl-C ends it.`);
  for await (const event of newEvents(client, context.signal, (error) => terminal.note(failureOf(error, baseUrl).message))) {
    if (types && !types.includes(event.type)) continue;
    const result = target === undefined ? undefined : await forward(event, target, secret, context.signal);
    if (terminal.isJson) terminal.printJson({ ...event, ...(result && { forwarded: result }) });
    else terminal.print(printable([event.timestamp, event.type, subjectOf(event), result].filter(Boolean).join('  ')));
  }
  throw new Interruption();
}

/** @returns the status of the answer and its time, or why there is none */
async function forward(event: WebhookEvent, target: string, secret: string, signal: AbortSignal): Promise<string> {
  const body = JSON.stringify({ type: event.type, timestamp: event.timestamp, data: event.data });
  const begin = performance.now();
  try {
    const response = await fetch(target, { method: 'POST', body, headers: webhookHeaders(event.event_id, body, secret, new Date()), signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]), redirect: 'manual' });
    await response.arrayBuffer();
    return `${response.status} (${Math.round(performance.now() - begin)} ms)`;
  } catch (error) {
    const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
    return `not delivered: ${cause?.code ?? message}`;
  }
}

function subjectOf({ data }: WebhookEvent): string {
  if ('job_id' in data) return data.job_id;
  return 'batch_id' in data ? String(data.batch_id) : '';
}
