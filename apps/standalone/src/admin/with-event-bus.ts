import { existsSync, readFileSync } from 'node:fs';
import type { EventBus } from '@parlance/event-bus';
import { createLogger, readConfig, systemClock, ulidGenerator } from '@parlance/platform';
// Not the whole runtime: a command should not wait for Nest to load.
import { openBus, portUrls } from '@parlance/runtime/open-ports';
import { processConfig } from '@parlance/runtime/process-config';
import { AdminFailure, EXIT_FAILED } from './admin-failure.js';

const { PARLANCE_DATA, EVENT_BUS_URL, KAFKA_PASSWORD } = processConfig;

/** Opens the bus that the servers use, beside them; nothing is created where there is none. */
export async function withEventBus(env: Record<string, string | undefined>, work: (bus: EventBus) => Promise<void>): Promise<void> {
  const urls = portUrls(readConfig({ PARLANCE_DATA, EVENT_BUS_URL, KAFKA_PASSWORD }, { env, readFile: (path) => readFileSync(path, 'utf8') }));
  if (urls.bus.startsWith('sqlite:') && !existsSync(urls.bus.slice('sqlite:'.length))) {
    throw new AdminFailure(`There is no event log at ${urls.bus}; is PARLANCE_DATA or EVENT_BUS_URL right?`, EXIT_FAILED);
  }
  const log = createLogger({ level: 'warn', destination: process.stderr });
  const bus = await openBus(urls, { clock: systemClock, ids: ulidGenerator(), log });
  try {
    await work(bus);
  } finally {
    await bus.close();
  }
}
