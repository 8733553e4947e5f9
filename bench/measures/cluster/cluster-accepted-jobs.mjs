import { ParlanceProcess } from '@parlance/testing';
import { ParlanceCluster } from '@parlance/testing/cluster';
import { percent } from '../../table.mjs';
import { acceptedPerSecond, silentServer } from '../accepted-jobs.mjs';

const SECONDS = { smoke: 1, quick: 8, full: 20 };
const ENV = { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'warn' };

/** POST /transcriptions of the cluster shape against that of the embedded one, one after the other. */
export async function clusterAcceptedJobs(size) {
  const media = await silentServer();
  try {
    const rate = async (parlance) => {
      try {
        return await acceptedPerSecond(parlance.api, media.url, SECONDS[size]);
      } finally {
        await parlance.kill();
        await parlance.dispose();
      }
    };
    const embedded = await rate(await ParlanceProcess.start({ env: ENV }));
    const cluster = await rate(await ParlanceCluster.start({ env: ENV }));
    const show = ({ rate: perSecond, p99 }) => `${perSecond.toFixed(0)}/s, p99 ${p99} ms`;
    return [{ name: 'accepted jobs, Kafka and MongoDB', measured: show(cluster), baseline: `embedded: ${show(embedded)}`, ratio: percent(cluster.rate / embedded.rate), target: '' }];
  } finally {
    media.close();
  }
}
