import { AppError } from './app-error.js';

const SERVERS_AND_SERVICES: ReadonlySet<string> = new Set([
  'database_unavailable',
  'event_bus_unavailable',
  'media_store_unavailable',
  'search_unavailable',
  'service_unavailable',
]);

/** Whether a server or a service of our own cannot be used now: nothing is wrong with the work, so it is worth waiting for. */
export const isServerAway = (thrown: unknown): boolean => thrown instanceof AppError && SERVERS_AND_SERVICES.has(thrown.code);
