import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { lockDataFolder } from '@parlance/runtime/data-folder-lock';
import type { PortUrls } from '@parlance/runtime/open-ports';
import { Option } from 'commander';
import { AdminFailure, EXIT_FAILED, EXIT_USAGE } from './admin-failure.js';
import { answeringSoon } from './indexes-command.js';

export const servicesStoppedOption = () => new Option('--services-stopped', 'with DATABASE_URL on a server: confirms that all services are stopped, which this command cannot see there');

export const isOnDisk = ({ documents }: PortUrls): boolean => documents.startsWith('sqlite:');

/**
 * Keeps the services from starting where their data is on this disk; elsewhere the operator confirms that they are stopped.
 *
 * @returns the URLs to use, and what ends it
 * @throws AdminFailure, ConfigError unless the services are stopped, as far as that can be known
 */
export function whileStopped(urls: PortUrls, dataFolder: string, isConfirmed: boolean): { urls: PortUrls; end: () => void } {
  if (isOnDisk(urls)) {
    if (!existsSync(urls.documents.slice('sqlite:'.length))) throw new AdminFailure(`There are no documents at ${urls.documents}; is PARLANCE_DATA or DATABASE_URL right?`, EXIT_FAILED);
    return { urls, end: lockDataFolder(resolve(dataFolder)) };
  }
  if (!isConfirmed) throw new AdminFailure('Stop all services first, and give --services-stopped: what they write or remove meanwhile could be lost or come back.', EXIT_USAGE);
  return { urls: { ...urls, documents: answeringSoon(urls.documents) }, end: () => {} };
}
