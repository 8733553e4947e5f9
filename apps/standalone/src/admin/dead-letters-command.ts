import { Command, Option } from 'commander';
import { TOPICS, type Topic } from '@parlance/contracts';
import type { DeadLetters } from '@parlance/event-bus';
import { notFound } from '@parlance/platform';
import { json as jsonOf, type AdminTools } from './admin-tools.js';
import { deadLetterDetails, deadLetterJson, deadLetterTable } from './dead-letter-views.js';
import { jsonOption, positiveInteger } from './options.js';

interface Filter {
  topic?: Topic;
  group?: string;
}

type ListOptions = Filter & { limit: number; json?: true };
type EachOptions = Filter & { all?: true; json?: true };

/** `--all` takes this many at a time; letters that fail again meanwhile are left for the next run. */
const ALL_AT_ONCE = 10_000;

/** Events that a service could not handle, after the last try: look, deliver once more, or give up on them. */
export function deadLettersCommand({ print, withEventBus }: AdminTools): Command {
  const onLetters = (work: (letters: DeadLetters) => Promise<void>) => withEventBus((bus) => work(bus.deadLetters));
  const json = (value: unknown) => print(jsonOf(value));
  const dead = new Command('dead-letters').description('manage events that a service could not handle');

  filtered(dead.command('list').description('list the newest failures with their reasons'))
    .option('--limit <number>', 'maximum number of entries', positiveInteger, 100)
    .addOption(jsonOption())
    .action(({ json: asJson, ...options }: ListOptions) =>
      onLetters(async (letters) => {
        const found = await letters.list(options);
        if (asJson) json(found.map(deadLetterJson));
        else print(deadLetterTable(found));
      }),
    );

  dead
    .command('show')
    .description('show a dead letter with its event')
    .argument('<id>')
    .addOption(jsonOption())
    .action((id: string, options: { json?: true }) =>
      onLetters(async (letters) => {
        const letter = await letters.get(id);
        if (!letter) throw notFound(`The dead letter ${id}`);
        if (options.json) json(deadLetterJson(letter));
        else print(deadLetterDetails(letter));
      }),
    );

  const each = (name: 'replay' | 'drop', description: string, done: string) =>
    filtered(dead.command(name).description(description))
      .argument('[ids...]')
      .option('--all', 'all that match --topic and --group')
      .addOption(jsonOption())
      .action((ids: string[], { all, json: asJson, ...filter }: EachOptions, command: Command) => {
        if ((ids.length > 0) === Boolean(all)) command.error('error: give ids, or --all');
        return onLetters(async (letters) => {
          const handled: string[] = [];
          const chosen = all ? (await letters.list({ ...filter, limit: ALL_AT_ONCE })).map(({ id }) => id) : ids;
          for (const id of chosen) {
            await letters[name](id);
            handled.push(id);
            if (!asJson) print(`${done} ${id}`);
          }
          if (asJson) json({ [done]: handled });
          else if (handled.length === 0) print('No dead letters.');
        });
      });
  each('replay', 'deliver them again to the group in which they failed', 'replayed');
  each('drop', 'remove them permanently', 'dropped');
  return dead;
}

const filtered = (command: Command): Command =>
  command
    .addOption(new Option('--topic <topic>', 'only of this topic').choices(Object.keys(TOPICS)))
    .option('--group <group>', 'only of this consumer group');
