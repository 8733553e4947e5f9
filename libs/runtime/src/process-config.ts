import { z } from 'zod';
import { eventBusConfig } from '@parlance/event-bus';
import { integer, tracingConfig } from '@parlance/platform';
import { grpcConfig } from './grpc/grpc-config.js';

/** Settings of every process, whichever services it runs. */
export const processConfig = {
  PARLANCE_DATA: z.string().default('./data').describe('Folder of everything the embedded adapters keep'),
  EVENT_BUS_URL: z.string().optional().describe('Event bus; default sqlite:$PARLANCE_DATA/events.db'),
  DATABASE_URL: z.string().optional().describe('Documents, a database a service; default sqlite:$PARLANCE_DATA/documents'),
  ...eventBusConfig,
  DATABASE_PASSWORD: z.string().optional().describe('Password of the user in DATABASE_URL=mongodb://user@…'),
  MEDIA_URL: z.string().optional().describe('Media store; default file:$PARLANCE_DATA/media'),
  SEARCH_URL: z.string().optional().describe('Search index; default sqlite:$PARLANCE_DATA/search.db, or opensearch+https://user@host/prefix'),
  SEARCH_PASSWORD: z.string().optional().describe('Password of the user in SEARCH_URL=opensearch+https://user@…'),
  MODELS_FOLDER: z.string().optional().describe('Folder of the models that run on this machine, got by parlance-admin models; default $PARLANCE_DATA/models'),
  HEALTH_PORT: integer(0, 65_535).optional().describe('Port of /health/live, /health/ready and /metrics; none when empty'),
  HEALTH_HOST: z.string().default('0.0.0.0').describe('Address HEALTH_PORT is bound to'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info').describe('Least severe level that is logged'),
  SHUTDOWN_GRACE_SECONDS: integer(1, 3600).default(25).describe('Seconds that a process takes on SIGTERM at most; the first half is for work in flight to end, then it is interrupted and redone later'),
  ...grpcConfig,
  ...tracingConfig,
} as const;
