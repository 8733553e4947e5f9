import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateX25519Identity } from 'age-encryption';
import { eventually, ParlanceProcess, runAdmin } from '@parlance/testing';
import { ledgerFaults, settle } from '../checks.mjs';
import { isTerminalEvent, terminalEventFaults } from '../terminal-events.mjs';

const WEBHOOK_LIMIT_MS = 180_000;
const MIN_JOBS = 6;
const MAKING_LIMIT_MS = 180_000;

/** A backup is made while jobs run, and restored into another folder. The product continues there, and the checks cover jobs from before the backup only. */
export const backup = {
  async prepare() {
    const work = await mkdtemp(join(tmpdir(), 'parlance-backup-'));
    return {
      // So that jobs are under way.
      options: { env: { SPEECH_ENGINE_URL: 'fixture:?delayMs=1000' } },
      archive: join(work, 'backup.tar.age'),
      restored: join(work, 'restored'),
      key: await generateX25519Identity(),
      [Symbol.asyncDispose]: () => rm(work, { recursive: true, force: true }),
    };
  },

  async disturb({ parlance, prepared, load }) {
    const { archive, restored, key } = prepared;
    await eventually('jobs to be made', () => load.acknowledged.length >= MIN_JOBS, MAKING_LIMIT_MS);
    const erasedBefore = load.acknowledged.slice(0, 1);
    for (const jobId of erasedBefore) await parlance.api.delete(jobId);
    prepared.known = load.acknowledged.filter((jobId) => !erasedBefore.includes(jobId));
    prepared.keys = [...load.keys];
    const made = JSON.parse(await runAdmin({ ...parlance.settings, BACKUP_KEY: key }, 'backup', 'create', archive, '--json'));
    const erasedAfter = prepared.known.slice(-1);
    for (const jobId of erasedAfter) await parlance.api.delete(jobId);
    prepared.erased = [...erasedBefore, ...erasedAfter];
    await load.stop();
    await parlance.stop();
    const contents = JSON.parse(await runAdmin({ BACKUP_KEY: key }, 'backup', 'verify', archive, '--json'));
    await runAdmin({ PARLANCE_DATA: restored, BACKUP_KEY: key }, 'backup', 'restore', archive, '--erasures', parlance.dataFolder);
    // No backup contains the master key: the operator keeps a copy of it.
    await copyFile(join(parlance.dataFolder, 'master-keys'), join(restored, 'master-keys'));
    const open = (contents.jobs.queued ?? 0) + (contents.jobs.processing ?? 0);
    return `writers held for ${made.writers_held_ms.toFixed(1)} ms; ${open} jobs were under way, ${prepared.erased.length} erased`;
  },

  async check({ parlance, prepared }) {
    const relievedAt = performance.now();
    const { restored, erased } = prepared;
    const { PARLANCE_DATA: _, ...env } = parlance.settings;
    const known = prepared.known.filter((jobId) => !erased.includes(jobId));
    await using product = await ParlanceProcess.start({ env, dataFolder: restored });
    const [lost, open, broken] = [[], [], []];
    // Later answers to callers were after the moment of the backup.
    const nothingSeen = { note: () => undefined };
    for (const jobId of known) await settle(product, nothingSeen, { jobId, relievedAt, lost, open });
    const recoverySeconds = (performance.now() - relievedAt) / 1000;
    for (const jobId of erased) if ((await product.api.request('GET', `/transcriptions/${jobId}`)).status !== 404) broken.push(`${jobId} was erased and is back`);
    const lostKeys = [];
    for (const key of prepared.keys) if ((await product.api.as(key).request('GET', '/transcriptions')).status !== 200) lostKeys.push(key);
    const kept = known.filter((jobId) => !lost.includes(jobId));
    for (const jobId of kept) broken.push(...(await undelivered(product, jobId)));
    const letters = JSON.parse(await runAdmin(product.settings, 'dead-letters', 'list', '--json'));
    const ledger = await ledgerFaults(product);
    const doubled = await terminalEventFaults(kept, async (jobId) => (await endsOf(product, jobId)).map(({ event_id: id }) => id));
    broken.push(
      ...lost.map((jobId) => `${jobId} was acknowledged before the backup and is not there`),
      ...lostKeys.map(() => 'a key that was acknowledged before the backup is refused'),
      ...open,
      ...letters.map((letter) => `dead letter: ${JSON.stringify(letter)}`),
      ...ledger,
      ...doubled,
    );
    return { acknowledged: known.length, accounts: prepared.keys.length, lost: lost.length + lostKeys.length, undone: 0, doubled: doubled.length, deadLetters: letters.length, open: open.length, recoverySeconds, broken };
  },
};

/** Whatever was pending goes out: the event of each job's end is delivered. */
async function undelivered(product, jobId) {
  const isDelivered = async () => {
    const found = await endsOf(product, jobId);
    return found.length > 0 && found.every(({ status }) => status === 'delivered');
  };
  return eventually(`the webhook of ${jobId}`, isDelivered, WEBHOOK_LIMIT_MS, 250).then(() => [], async () => [`${jobId}: deliveries of its end ${JSON.stringify(await endsOf(product, jobId))}`]);
}

const endsOf = async (product, jobId) => (await product.api.deliveries(jobId)).filter(({ event_type: type }) => isTerminalEvent(type));
