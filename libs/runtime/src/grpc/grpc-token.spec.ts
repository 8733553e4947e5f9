import { afterEach, describe, expect, it } from '@jest/globals';
import { unguardedGrpc } from './grpc-token.js';
import { reserveAddresses } from '@parlance/platform/contract';
import { TestProcess } from '@parlance/testing/grpc-replica';

const TOKEN = 'a-token-that-only-services-have';

const stack: TestProcess[] = [];
afterEach(async () => {
  for (const started of stack.splice(0).toReversed()) await started.close();
});

async function pair(server: Record<string, string>, settings: Record<string, string>): Promise<TestProcess> {
  const [listen = ''] = await reserveAddresses(1);
  stack.push(await TestProcess.replica({ number: 1, listen, env: server }));
  const client = await TestProcess.client(`ipv4:${listen}`, settings);
  stack.push(client);
  return client;
}

describe('calls between services with a shared token', () => {
  it('are answered when they bring it', async () => {
    const client = await pair({ GRPC_TOKEN: TOKEN }, { GRPC_TOKEN: TOKEN });
    expect([await client.read(), await client.write()]).toEqual([1, 1]);
  });

  it.each([['none', {}], ['another', { GRPC_TOKEN: `${TOKEN}s` }]])('are refused when they bring %s', async (_what, settings) => {
    const client = await pair({ GRPC_TOKEN: TOKEN }, settings as Record<string, string>);
    await expect(client.read()).rejects.toMatchObject({ cause: { code: 16, details: 'The call has no valid GRPC_TOKEN.' } });
    await expect(client.write()).rejects.toMatchObject({ cause: { code: 16 } });
  });

  it('need none at a unix socket, which only its owner can open', async () => {
    const replica = await TestProcess.replica({ number: 1, env: { GRPC_TOKEN: TOKEN } });
    stack.push(replica);
    expect(await replica.read()).toBe(1);
  });
});

describe('a gRPC server that lets every caller in', () => {
  const complaint = /^GRPC_LISTEN: 0\.0\.0\.0:\d+ is reachable from other machines/;

  it('does not start off the loopback', async () => {
    await expect(TestProcess.replica({ number: 1, listen: '0.0.0.0:50051' })).rejects.toThrow(complaint);
    // It is also where a service listens that has an address and no GRPC_LISTEN.
    await expect(TestProcess.replica({ number: 1, env: { TRANSCRIPTION_GRPC_URL: 'dns:///transcription:50051' } })).rejects.toThrow(complaint);
  });

  it.each(['127.0.0.1:50051', '127.3.2.1:50051', '[::1]:50051', 'localhost:50051', 'unix:/run/x.sock'])('may listen at %s', (url) => expect(unguardedGrpc(url, {})).toEqual([]));

  it.each(['0.0.0.0:50051', '[::]:50051', '10.0.0.7:50051', '192.168.1.2:1', 'parlance.internal:50051'])('may not listen at %s', (url) => {
    expect(unguardedGrpc(url, {})).toHaveLength(1);
    expect(unguardedGrpc(url, { GRPC_TOKEN: TOKEN })).toEqual([]);
    expect(unguardedGrpc(url, { GRPC_TLS_CERT: 'a certificate' })).toEqual([]);
  });
});
