import { randomBytes } from 'node:crypto';
import { silentLogger, systemClock } from '@parlance/platform';
import { MongoServer, parseMongoUrl } from '@parlance/storage/mongo';
import { describeTaskQueueContract } from '../contract/index.js';
import { describeBoundedLooks } from '../contract/looking.js';
import { openTaskQueue } from '../open-task-queue.js';
import { MongoTaskStore } from './mongo-task-store.js';

describeTaskQueueContract('the task queue in MongoDB', async () => {
  const at = new URL(process.env['MONGODB_URI'] ?? '');
  at.pathname = `/t_${randomBytes(6).toString('hex')}`;
  const service = 'contract';
  return {
    url: at.href,
    service,
    connect: (options) => openTaskQueue(at.href, { clock: systemClock, log: silentLogger(), graceMs: 50, service, ...options }),
    dispose: async () => {
      const server = new MongoServer({ url: parseMongoUrl(at.href), service });
      await server.call((database) => database.dropDatabase());
      await server.close();
    },
  };
});

describeBoundedLooks('in MongoDB', async () => {
  const at = new URL(process.env['MONGODB_URI'] ?? '');
  at.pathname = `/t_${randomBytes(6).toString('hex')}`;
  const options = { clock: systemClock, log: silentLogger(), leaseMs: 10_000, service: 'contract' };
  const store = MongoTaskStore.open(at.href, options);
  const close = async () => {
    await store.close();
    const server = new MongoServer({ url: parseMongoUrl(at.href), service: options.service });
    await server.call((database) => database.dropDatabase());
    await server.close();
  };
  return { store, close };
});
