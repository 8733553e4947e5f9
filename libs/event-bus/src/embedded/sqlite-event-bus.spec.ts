import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock } from '@parlance/platform';
import { describeEventBusContract } from '../contract/index.js';
import { SqliteEventBus } from './sqlite-event-bus.js';

describeEventBusContract('SqliteEventBus', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bus-'));
  const connect = ({ drainMs }: { drainMs?: number | undefined } = {}) =>
    SqliteEventBus.open(join(folder, 'events.db'), { clock: systemClock, log: silentLogger(), graceMs: 50, drainMs });
  return { bus: await connect(), connect, dispose: () => rm(folder, { recursive: true }) };
});
