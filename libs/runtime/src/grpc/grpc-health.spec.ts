import { once } from 'node:events';
import { credentials, status, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { health } from '@parlance/contracts';
import { eventually, freeAddresses, TestProcess } from './replica.fixture.js';

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = health.HealthCheckResponse_ServingStatus;
const SERVICE = 'parlance.transcription.v1.TranscriptService';

const stack: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of stack.splice(0).toReversed()) await close();
});

/** A replica whose one need may be away, and a probe as it comes from outside. */
async function probed() {
  const [listen = ''] = await freeAddresses(1);
  const need = { isThere: true };
  const check = async () => {
    if (!need.isThere) throw new Error('away');
  };
  const replica = await TestProcess.replica({ number: 1, listen, checks: [{ name: 'need', check }] });
  const probe = new health.HealthClient(listen, credentials.createInsecure());
  stack.push(
    () => replica.close(),
    () => probe.close(),
  );
  const ask = (service = '') =>
    new Promise<health.HealthCheckResponse_ServingStatus>((resolve, reject) =>
      probe.check({ service }, (error, response) => (error ? reject(error) : resolve(response.status))),
    );
  return { replica, need, ask, watch: (service = '') => watched(probe.watch({ service })) };
}

/** What a watcher hears, in order. */
function watched(stream: ClientReadableStream<health.HealthCheckResponse>) {
  const heard: health.HealthCheckResponse_ServingStatus[] = [];
  stream.on('data', (response: health.HealthCheckResponse) => heard.push(response.status));
  return { heard, ended: once(stream, 'end') };
}

describe('the health of a gRPC server', () => {
  it('is that of the process, for the server and for each of its services', async () => {
    const { need, ask } = await probed();
    expect([await ask(), await ask(SERVICE)]).toEqual([SERVING, SERVING]);
    need.isThere = false;
    expect([await ask(), await ask(SERVICE)]).toEqual([NOT_SERVING, NOT_SERVING]);
  });

  it('is not known of services that it does not have', async () => {
    const { ask, watch } = await probed();
    await expect(ask('parlance.Unknown')).rejects.toMatchObject({ code: status.NOT_FOUND } satisfies Partial<ServiceError>);
    const { heard } = watch('parlance.Unknown');
    await eventually('an answer', () => heard.length > 0);
    expect(heard).toEqual([SERVICE_UNKNOWN]);
  });

  it('is told to those who watch when it changes, and at last when the server is stopped', async () => {
    const { replica, need, watch } = await probed();
    const { heard, ended } = watch();
    await eventually('the first', () => heard.length === 1);
    need.isThere = false;
    await eventually('the second', () => heard.length === 2);
    need.isThere = true;
    await eventually('the third', () => heard.length === 3);
    await replica.close();
    await ended;
    expect(heard).toEqual([SERVING, NOT_SERVING, SERVING, NOT_SERVING]);
  });
});
