import { ConfigError } from '@parlance/platform';

/** A listening address, with the names of the settings that choose it. */
interface BoundAddress {
  portSetting: string;
  port: number;
  hostSetting: string;
  host: string;
}

const PROBLEMS: Record<string, (address: BoundAddress) => string> = {
  EADDRINUSE: ({ portSetting, port, host }) => `${portSetting}: ${port} is in use on ${host}; choose another`,
  EACCES: ({ portSetting, port }) => `${portSetting}: this user may not bind port ${port}; choose one above 1023`,
  EADDRNOTAVAIL: ({ hostSetting, host }) => `${hostSetting}: ${host} is not an address of this machine`,
  ENOTFOUND: ({ hostSetting, host }) => `${hostSetting}: ${host} cannot be resolved`,
};

/** Names the setting that made a server unable to listen; any other error is returned as it is. */
export function bindError(error: unknown, address: BoundAddress): unknown {
  const problem = PROBLEMS[(error as NodeJS.ErrnoException).code ?? ''];
  return problem ? new ConfigError([problem(address)]) : error;
}
