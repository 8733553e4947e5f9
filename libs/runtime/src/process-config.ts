import { z } from 'zod';
import { eventBusConfig } from '@parlance/event-bus';
import { integer, tracingConfig } from '@parlance/platform';
import { DURABILITIES } from '@parlance/platform/sqlite';
import { grpcConfig } from './grpc/grpc-config.js';
import { keyConfig } from './keys/key-config.js';

export { keyProviderSetting, sealsMedia } from './keys/key-config.js';

/** Settings of every process, whichever services it runs. */
export const processConfig = {
  PARLANCE_DATA: z.string().default('./data').describe('Folder for all data of the embedded adapters'),
  EVENT_BUS_URL: z.string().optional().describe('Event bus; default sqlite:$PARLANCE_DATA/events.db'),
  TASK_QUEUE_URL: z.string().optional().describe('Task queue: sqlite:<file> or mongodb://…; default sqlite:$PARLANCE_DATA/tasks.db, or DATABASE_URL when that names a server'),
  TASK_MAX_TAKE_OVERS: integer(1, 1000).default(8).describe('How often a task is taken over from a worker that died or lost contact; after that the task fails, and with it its chunk or stage (`internal`), so that a task that kills its worker each time is not repeated for ever'),
  DATABASE_URL: z.string().optional().describe('Documents, one database per service; default sqlite:$PARLANCE_DATA/documents'),
  ...eventBusConfig,
  DATABASE_PASSWORD: z.string().optional().describe('Password of the user in DATABASE_URL=mongodb://user@…'),
  MEDIA_URL: z.string().optional().describe('Media store; default file:$PARLANCE_DATA/media'),
  SEARCH_URL: z.string().optional().describe('Search index; default sqlite:$PARLANCE_DATA/search.db, or opensearch+https://user@host/prefix'),
  SEARCH_PASSWORD: z.string().optional().describe('Password of the user in SEARCH_URL=opensearch+https://user@…'),
  SCRATCH_FOLDER: z.string().optional().describe('Folder of this process alone for files in clear while they are worked on, best in memory (tmpfs) or on an encrypted volume; default $PARLANCE_DATA/scratch'),
  MODELS_FOLDER: z.string().optional().describe('Folder of the models that run on this machine, downloaded by parlance-admin models; default $PARLANCE_DATA/models'),
  DURABILITY: z
    .enum(DURABILITIES)
    .default('power')
    .describe('What the embedded adapters flush before they acknowledge: `power` survives a power cut; `process` survives only the death of the process (kill -9), and is faster'),
  ...keyConfig,
  HEALTH_PORT: integer(0, 65_535).optional().describe('Port of /health/live, /health/ready, /health/dependencies and /metrics. When set, the public port has no metrics and names no store; when empty, these pages are on the public port'),
  HEALTH_HOST: z.string().default('0.0.0.0').describe('Address that HEALTH_PORT binds to'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info').describe('Minimum level of messages that are logged'),
  SHUTDOWN_GRACE_SECONDS: integer(1, 3600).default(25).describe('Maximum seconds that a process takes to stop on SIGTERM; work in flight may end in the first half, then it is interrupted and redone later'),
  REQUIRE_TLS: z
    .enum(['true', 'false'])
    .default('false')
    .describe('true: the process refuses to start when a connection to another machine is not encrypted, and lists all such connections. Loopback, unix sockets and embedded adapters are exempt. A gateway without HTTPS_CERT_FILE that other machines can reach needs HSTS_MAX_AGE_SECONDS, which states that an ingress terminates TLS'),
  ...grpcConfig,
  ...tracingConfig,
} as const;
