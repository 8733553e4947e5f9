import { credentials } from '@grpc/grpc-js';
import { gateway } from '@parlance/contracts';
import { callUnary } from '@parlance/platform';

/** As an operator does, by the gateway's gRPC service. @param target `host:port` or `unix:…` @returns the account's key */
export async function createAccount(target: string): Promise<string> {
  const accounts = new gateway.AccountServiceClient(target, credentials.createInsecure());
  try {
    const { apiKey } = await callUnary(accounts, accounts.createAccount, { organization: 'another account' });
    return apiKey;
  } finally {
    accounts.close();
  }
}
