import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { prepareEventBus, type TopicChange } from '@parlance/event-bus';
import { readConfig, silentLogger } from '@parlance/platform';
import { portUrls } from '@parlance/runtime/open-ports';
import { processConfig } from '@parlance/runtime/process-config';
import { json, type AdminTools } from './admin-tools.js';
import { jsonOption, positiveInteger, timeoutOption, type ServerOptions } from './options.js';
import { untilAvailable } from './until-available.js';

type TopicsOptions = ServerOptions & { replicationFactor?: number };

const { PARLANCE_DATA, EVENT_BUS_URL, KAFKA_PASSWORD } = processConfig;

/** Makes the event bus's topics; an installation's first step, and one of each upgrade. */
export function topicsCommand({ env, print, say }: AdminTools): Command {
  return new Command('topics')
    .description('create and update the topics of Kafka (EVENT_BUS_URL); may be run again at any time')
    .option('--replication-factor <number>', 'replicas of each partition of a new topic (default: the broker\'s setting)', positiveInteger)
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action(async ({ timeout, replicationFactor, json: asJson }: TopicsOptions) => {
      const urls = portUrls(readConfig({ PARLANCE_DATA, EVENT_BUS_URL, KAFKA_PASSWORD }, { env, readFile: (path) => readFileSync(path, 'utf8') }));
      const prepare = () => prepareEventBus(urls.bus, { log: silentLogger(), kafkaPassword: urls.busPassword, replicationFactor });
      const changes = await untilAvailable(prepare, { timeout, onWait: (reason) => say(`Waiting for Kafka: ${reason}`) });
      if (asJson) print(json(changes ?? []));
      else print(changes === undefined ? 'Nothing to do: EVENT_BUS_URL is not Kafka.' : changes.map(lineOf).join('\n'));
    });
}

const lineOf = ({ topic, change, detail }: TopicChange): string => `${topic}: ${change}${detail === '' ? '' : ` (${detail})`}`;
