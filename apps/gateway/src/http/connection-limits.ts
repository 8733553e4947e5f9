import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressGroup, isInRanges, parseCidrs } from '@parlance/egress';
import { integer, type ConfigOf, type Metrics } from '@parlance/platform';
import { Counter } from 'prom-client';

export const connectionConfig = {
  MAX_CONNECTIONS: integer(0, 1_000_000)
    .default(10_000)
    .describe('Maximum number of connections to the public HTTP server; never more than four fifths of the file descriptors that the process may open (ulimit -n). 0: only that bound applies'),
  CONNECTIONS_PER_ADDRESS: integer(0, 1_000_000)
    .default(1000)
    .describe('Maximum number of connections from one address (for IPv6, one /64), and at most half of all connections; addresses in TRUSTED_PROXIES have no such limit. 0: no limit'),
} as const;

type ConnectionConfig = ConfigOf<typeof connectionConfig> & { TRUSTED_PROXIES: readonly string[] };

/** The share of the descriptors for connections; stores, media and engines keep the rest. */
const SHARE_OF_DESCRIPTORS = 0.8;

/** Connections that the server takes at once. @param descriptors that the process may open */
export const connectionLimit = ({ MAX_CONNECTIONS }: Pick<ConnectionConfig, 'MAX_CONNECTIONS'>, descriptors: number): number =>
  Math.min(MAX_CONNECTIONS === 0 ? Infinity : MAX_CONNECTIONS, Math.max(1, Math.floor(descriptors * SHARE_OF_DESCRIPTORS)));

/** Closes connections over the limits as they arrive, before a byte of them is read. */
export function limitConnections(server: Server, config: ConnectionConfig, metrics: Metrics, descriptors = openFilesLimit()): void {
  const refused = new Counter({ name: 'parlance_connections_refused_total', help: 'Connections closed on arrival, by the limit that was reached', labelNames: ['limit'] as const, registers: [metrics] });
  server.maxConnections = connectionLimit(config, descriptors);
  server.on('drop', () => refused.inc({ limit: 'process' }));
  if (config.CONNECTIONS_PER_ADDRESS === 0) return;
  const perAddress = Math.min(config.CONNECTIONS_PER_ADDRESS, Math.ceil(server.maxConnections / 2));
  const proxies = parseCidrs(config.TRUSTED_PROXIES);
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isInRanges(address, proxies)) return;
    const group = addressGroup(address);
    const count = (open.get(group) ?? 0) + 1;
    if (count > perAddress) {
      refused.inc({ limit: 'address' });
      return void socket.destroy();
    }
    open.set(group, count);
    socket.once('close', () => {
      const left = (open.get(group) ?? 1) - 1;
      if (left === 0) open.delete(group);
      else open.set(group, left);
    });
  });
}

/** The soft limit, which Node raises to the hard one at its start. */
function openFilesLimit(): number {
  // Without it the report looks names up.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
