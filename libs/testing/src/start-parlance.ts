import type { Parlance } from './parlance.js';
import { ParlanceProcess } from './parlance-process.js';

/** The shape that the system suite runs over: all in one process, or two processes of each service on real servers. */
export const SHAPE: 'embedded' | 'cluster' = process.env['PARLANCE_SHAPE'] === 'cluster' ? 'cluster' : 'embedded';

/** Processes of each service in the cluster shape. */
const REPLICAS = Number(process.env['PARLANCE_REPLICAS'] ?? 2);

/** @param env settings over the tests' own */
export async function startParlance({ env = {} }: { env?: Record<string, string> } = {}): Promise<Parlance> {
  if (SHAPE === 'embedded') return ParlanceProcess.start({ env });
  const { ParlanceCluster } = await import('./cluster/parlance-cluster.js');
  return ParlanceCluster.start({ env, replicas: REPLICAS });
}
