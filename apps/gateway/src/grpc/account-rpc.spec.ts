import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Client, credentials } from '@grpc/grpc-js';
import { expect, it } from '@jest/globals';
import { gateway } from '@parlance/contracts';
import { grpcPort } from '@parlance/runtime/process';
import { GatewayHarness } from '../../test/gateway-harness.js';

async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return `127.0.0.1:${port}`;
}

it('AccountService/CreateKey makes no key for a caller without the token', async () => {
  const address = await freeAddress();
  await using harness = await GatewayHarness.start({ GRPC_LISTEN: address, GATEWAY_GRPC_URL: `ipv4:${address}`, GRPC_TOKEN: 'only-the-services-have-it' });
  const anonymous = new Client(address, credentials.createInsecure());
  const request = { accountId: harness.accountId, name: 'stolen', scopes: [], expiresAt: undefined };
  await expect(grpcPort(gateway.AccountServiceDefinition, anonymous).createKey(request)).rejects.toMatchObject({ cause: { code: 16 } });
  anonymous.close();
  expect((await harness.createKey(['transcriptions:read'])).apiKey.length).toBeGreaterThan(20);
});
