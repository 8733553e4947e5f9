import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApi } from '@parlance/testing';
import type { ParlanceCluster } from '@parlance/testing/cluster';

const TRIES = 40;
const PAUSE_MS = 250;

/**
 * A client as the SDKs are: a call that finds no server, or hears that it is on its way out, is made again, at the next gateway.
 * @throws the last try's error
 */
export async function atAnyGateway<T>(cluster: ParlanceCluster, call: (api: TestApi) => Promise<T>): Promise<T> {
  const { api } = cluster;
  for (let tries = 1; ; tries += 1) {
    try {
      return await call(api);
    } catch (error) {
      if (tries === TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
