import { Command, Option } from 'commander';
import { replayRefused, type OutboxSource } from '@parlance/event-bus';
import { notFound } from '@parlance/platform';
import { SERVICE_NAMES } from '@parlance/runtime/service-manifest';
import { json as jsonOf, type AdminTools, type Outboxes } from './admin-tools.js';
import { jsonOption, positiveInteger, timeoutOption, type ServerOptions } from './options.js';
import { refusedDetails, refusedJson, refusedTable, type RefusedByBus } from './refused-views.js';

interface Filter {
  service?: string;
}

type ListOptions = ServerOptions & Filter & { limit: number };
type EachOptions = ServerOptions & Filter & { all?: true };

/** Events that are searched for an id, and that `--all` takes at a time. */
const ALL_AT_ONCE = 10_000;

/** Events that the bus did not take from a service (too large, of a type that is no more): look, publish once more, or give up on them. */
export function refusedCommand({ print, say, withEventBus, withOutboxes }: AdminTools): Command {
  const json = (value: unknown) => print(jsonOf(value));
  const onOutboxes = ({ timeout }: ServerOptions, work: (outboxes: Outboxes) => Promise<void>) =>
    withOutboxes({ timeout, onWait: (reason) => say(`Waiting for MongoDB: ${reason}`) }, work);
  const refused = new Command('refused').description('manage events that the bus refused to publish');

  filtered(refused.command('list').description('list them oldest first, with their reasons'))
    .option('--limit <number>', 'maximum number of entries', positiveInteger, 100)
    .action(({ limit, ...options }: ListOptions) =>
      onOutboxes(options, async (outboxes) => {
        const found = await refusedIn(outboxes, options, limit);
        if (options.json) json(found.map(refusedJson));
        else print(refusedTable(found));
      }),
    );

  common(refused.command('show').description('show a refused event with its data').argument('<id>')).action((id: string, options: ServerOptions) =>
    onOutboxes(options, async (outboxes) => {
      const found = await find(outboxes, id);
      if (options.json) json(refusedJson(found));
      else print(refusedDetails(found));
    }),
  );

  const each = (name: 'replay' | 'drop', description: string, done: string, act: (outbox: OutboxSource, id: string) => Promise<unknown>) =>
    filtered(refused.command(name).description(description))
      .argument('[ids...]')
      .option('--all', 'all, or all of --service')
      .action((ids: string[], { all, ...options }: EachOptions, command: Command) => {
        if ((ids.length > 0) === Boolean(all)) command.error('error: give ids, or --all');
        return onOutboxes(options, async (outboxes) => {
          const handled: string[] = [];
          const chosen = all ? (await refusedIn(outboxes, options, ALL_AT_ONCE)).map(({ event }) => event.id) : ids;
          for (const id of chosen) {
            const { service } = await find(outboxes, id);
            await act(outboxOf(outboxes, service), id);
            handled.push(id);
            if (!options.json) print(`${done} ${id}`);
          }
          if (options.json) json({ [done]: handled });
          else if (handled.length === 0) print('No refused events.');
        });
      });
  each('replay', 'publish them again, after the cause is fixed', 'replayed', (outbox, id) => withEventBus((bus) => replayRefused({ outbox, bus }, id)));
  each('drop', 'remove them permanently', 'dropped', (outbox, id) => outbox.dropRefused(id));
  return refused;
}

async function refusedIn(outboxes: Outboxes, { service }: Filter, limit: number): Promise<RefusedByBus[]> {
  const asked = [...outboxes].filter(([name]) => service === undefined || name === service);
  const found = await Promise.all(asked.map(async ([name, outbox]) => (await outbox.refused(limit)).map((one) => ({ ...one, service: name }))));
  return found.flat().toSorted((a, b) => (a.refusedAt < b.refusedAt ? -1 : Number(a.refusedAt > b.refusedAt))).slice(0, limit);
}

async function find(outboxes: Outboxes, id: string): Promise<RefusedByBus> {
  const found = (await refusedIn(outboxes, {}, ALL_AT_ONCE)).find(({ event }) => event.id === id);
  if (!found) throw notFound(`The refused event ${id}`);
  return found;
}

function outboxOf(outboxes: Outboxes, service: string): OutboxSource {
  const outbox = outboxes.get(service);
  if (!outbox) throw notFound(`The database of ${service}`);
  return outbox;
}

const common = (command: Command): Command => command.addOption(timeoutOption()).addOption(jsonOption());

const filtered = (command: Command): Command =>
  common(command.addOption(new Option('--service <service>', 'only of this service').choices(SERVICE_NAMES)));
