import { TestEnvironment } from 'jest-environment-node';

// A worker that ends by itself first frees its heap, 600 MB after fifty suites. Jest waits 500 ms for that, kills the worker and
// reports a leak. `process.exit` leaves the memory to the system; a worker with open handles never gets here and is still reported.
if (process.channel) process.once('beforeExit', () => process.exit());

/** Jest's own environment, in workers that end at once. */
export default class WorkerEnvironment extends TestEnvironment {}
