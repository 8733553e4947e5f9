import { jest } from '@jest/globals';

// A test of the system may start the whole product, and in the cluster shape that is seven processes.
jest.setTimeout(300_000 * Number(process.env.TIME_FACTOR ?? 1));
