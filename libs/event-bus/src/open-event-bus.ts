import { ConfigError, type Clock, type Logger } from '@parlance/platform';
import { SqliteEventBus } from './embedded/sqlite-event-bus.js';
import type { EventBus } from './event-bus.js';

export interface EventBusDependencies {
  clock: Clock;
  log: Logger;
}

/**
 * The event bus that the URL names: `sqlite:<path of a file>`.
 * @throws ConfigError when no adapter takes the URL.
 */
export async function openEventBus(url: string, dependencies: EventBusDependencies): Promise<EventBus> {
  const scheme = url.slice(0, url.indexOf(':') + 1);
  const rest = url.slice(scheme.length);
  if (scheme === 'sqlite:' && rest !== '') return SqliteEventBus.open(rest, dependencies);
  throw new ConfigError([`EVENT_BUS_URL: no event bus for ${scheme || 'a URL without a scheme'}; it must be sqlite:<file>`]);
}
