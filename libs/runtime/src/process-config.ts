import { z } from 'zod';
import { eventBusConfig } from '@parlance/event-bus';
import { integer } from '@parlance/platform';
import { grpcAddressConfig } from './grpc/grpc-addresses.js';

/** Settings of every process, whichever services it runs. */
export const processConfig = {
  PARLANCE_DATA: z.string().default('./data').describe('Folder of everything the embedded adapters keep'),
  EVENT_BUS_URL: z.string().optional().describe('Event bus; default sqlite:$PARLANCE_DATA/events.db'),
  DATABASE_URL: z.string().optional().describe('Documents, a database a service; default sqlite:$PARLANCE_DATA/documents'),
  ...eventBusConfig,
  DATABASE_PASSWORD: z.string().optional().describe('Password of the user in DATABASE_URL=mongodb://user@…'),
  MEDIA_URL: z.string().optional().describe('Media store; default file:$PARLANCE_DATA/media'),
  GRPC_LISTEN: z.string().optional().describe('Address the gRPC server binds when it is not a unix socket, such as 0.0.0.0:50051'),
  HEALTH_PORT: integer(0, 65_535).optional().describe('Port of /health/live, /health/ready and /metrics; none when empty'),
  HEALTH_HOST: z.string().default('0.0.0.0').describe('Address HEALTH_PORT is bound to'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info').describe('Least severe level that is logged'),
  SHUTDOWN_GRACE_SECONDS: integer(1, 3600).default(25).describe('Seconds that work in flight has on SIGTERM before the process leaves'),
  ...grpcAddressConfig,
} as const;
