import { Client, credentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { health } from '@parlance/contracts';
import { grpcPort } from '../services/grpc-port.js';
import { reserveAddresses } from '@parlance/platform/contract';
import { eventually, TestProcess } from '@parlance/testing/grpc-replica';

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = health.HealthCheckResponse_ServingStatus;
const SERVICE = 'parlance.transcription.v1.TranscriptService';

const stack: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of stack.splice(0).toReversed()) await close();
});

/** A replica whose one need may be away, and a probe as it comes from outside. */
async function probed() {
  const [listen = ''] = await reserveAddresses(1);
  const need = { isThere: true };
  const check = async () => {
    if (!need.isThere) throw new Error('away');
  };
  const replica = await TestProcess.replica({ number: 1, listen, checks: [{ name: 'need', check }] });
  const client = new Client(listen, credentials.createInsecure());
  stack.push(
    () => replica.close(),
    () => client.close(),
  );
  const probe = grpcPort(health.HealthDefinition, client);
  const ask = async (service = '') => (await probe.check({ service })).status;
  return { replica, need, ask, watch: (service = '') => watched(probe.watch({ service })) };
}

/** The states that a watcher receives, in order. */
function watched(responses: AsyncIterable<health.HealthCheckResponse>) {
  const heard: health.HealthCheckResponse_ServingStatus[] = [];
  const read = async () => {
    for await (const { status } of responses) heard.push(status);
  };
  const ended = read();
  ended.catch(() => undefined);
  return { heard, ended };
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
    await expect(ask('parlance.Unknown')).rejects.toMatchObject({ kind: 'not_found' });
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
