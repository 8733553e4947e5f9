import { Client, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { common, ingest } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { grpcPort, LocalService } from '@parlance/runtime/process';
import { StandInServices } from '../../test/stand-in-services.js';
import { JobMaker } from './job-maker.js';

describe('JobMaker', () => {
  let services: StandInServices;
  let client: Client;
  let maker: JobMaker;
  beforeEach(async () => {
    const started = await StandInServices.start();
    services = started.services;
    client = new Client(started.env['INGEST_GRPC_URL'] ?? '', credentials.createInsecure());
    maker = new JobMaker(grpcPort(ingest.JobServiceDefinition, client));
  });
  afterEach(async () => {
    client.close();
    await services[Symbol.asyncDispose]();
  });

  const make = (jobId: string) => maker.make(ingest.CreateJobRequest.fromPartial({ jobId, accountId: 'acc_1' }), `req_${jobId}`);
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `job_${index}`);

  it('makes jobs of one turn by one call, and gives each its own', async () => {
    const made = await Promise.all(ids(20).map(make));
    expect(made.map(({ jobId }) => jobId)).toEqual(ids(20));
    expect(services.batches).toEqual([20]);
    expect(services.orders.map(({ requestId }) => requestId)).toEqual(ids(20).map((id) => `req_${id}`));
  });

  it('makes a call only so large', async () => {
    await Promise.all(ids(150).map(make));
    expect(Math.max(...services.batches)).toBeLessThan(100);
    expect(services.jobs.size).toBe(150);
  });

  it('makes a call only so heavy: jobs as large as they may be, in the widest letters, fit', async () => {
    const wide = (characters: number) => '\u20ac'.repeat(characters);
    const options = common.JobOptions.fromPartial({
      vocabulary: Array.from({ length: 1000 }, () => wide(100)),
      metadata: Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`key_${index}`, wide(512)])),
      summary: { enabled: true, template: wide(20_000) },
    });
    const order = (jobId: string) => ingest.CreateJobRequest.fromPartial({ jobId, accountId: 'acc_1', options });
    // 18 MB: a call may have 16.
    const made = await Promise.all(ids(48).map((jobId) => maker.make(order(jobId))));
    expect(made.map(({ jobId }) => jobId)).toEqual(ids(48));
    expect(services.batches.length).toBeGreaterThan(1);
  });

  it('fails a job alone that cannot be made', async () => {
    const refusal = { kind: 'not_found', code: 'not_found', message: 'The job was not found.', retryable: false } as const;
    services.beforeCreate = async ({ jobId }) => {
      if (jobId === 'job_1') throw new AppError(refusal);
    };
    const [first, second, third] = await Promise.allSettled(ids(3).map(make));
    expect([first?.status, third?.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(second).toMatchObject({ status: 'rejected', reason: refusal });
  });

  it('fails them all when ingest does not answer', async () => {
    const lost = new JobMaker(new LocalService().port(ingest.JobServiceDefinition));
    const order = ingest.CreateJobRequest.fromPartial({ jobId: 'job_lost', accountId: 'acc_1' });
    const both = await Promise.allSettled([lost.make(order), lost.make(order)]);
    for (const { reason } of both as PromiseRejectedResult[]) expect(reason).toMatchObject({ kind: 'unavailable', retryable: true });
  });
});
