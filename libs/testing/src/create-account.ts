import { Client, credentials } from '@grpc/grpc-js';
import { gateway } from '@parlance/contracts';
import { grpcPort } from '@parlance/runtime/grpc-port';

/** As an operator does, by the gateway's gRPC service. @param target `host:port` or `unix:…` @returns the account's key */
export async function createAccount(target: string): Promise<string> {
  const client = new Client(target, credentials.createInsecure());
  try {
    const { apiKey } = await grpcPort(gateway.AccountServiceDefinition, client).createAccount({ organization: 'another account' });
    return apiKey;
  } finally {
    client.close();
  }
}
