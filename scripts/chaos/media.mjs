// `media.mjs [bombs] [junk]`: what a stranger's files can do to the others on a small disk. Exit code 1 when a promise was broken.
import { statfs } from 'node:fs/promises';
import { eventually, mediaBombs, MediaFiles, ParlanceProcess, SAMPLES } from '@parlance/testing';

const DISK_MEGABYTES = 400;
const BOMBS = 40;
const BYSTANDER_EVERY_MS = 250;
const JUNK_UPLOADS = 1000;
const JUNK_AT_ONCE = 8;
const JUNK_BYTES = 1024 * 1024;
/** Records of a thousand jobs; their files would be a gigabyte. */
const ALLOWED_GROWTH = 64 * 1024 * 1024;

await using files = await MediaFiles.create();
await using parlance = await ParlanceProcess.start({ diskMegabytes: DISK_MEGABYTES, env: { SPEECH_ENGINE_URL: 'fixture:', RATE_LIMIT_PER_MINUTE: '0', ACCOUNT_RATE_LIMIT_PER_MINUTE: '0' } });
const parts = { bombs, junk };
const broken = [];
for (const part of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts)) broken.push(...(await parts[part]()));
for (const what of broken) console.log(`broken: ${what}`);
process.exitCode = broken.length > 0 ? 1 : 0;

async function bombs() {
  const [bomber, bystander] = await Promise.all([parlance.newAccount(), parlance.newAccount()]);
  const kinds = await mediaBombs(files);
  const stop = new AbortController();
  const seen = { uploads: 0, refused: [], completed: 0, ended: [] };
  const watching = watch(bystander, stop.signal, seen);
  const thrown = await Promise.all(Array.from({ length: BOMBS }, (_, index) => bomber.upload(kinds[index % kinds.length].path)));
  let least = Infinity;
  const sampler = setInterval(async () => (least = Math.min(least, await freeBytes())), 100);
  const ends = await Promise.all(thrown.map((jobId) => endOf(bomber, jobId)));
  clearInterval(sampler);
  stop.abort();
  await watching;
  const dead = deadLetters(await (await fetch(`${parlance.api.url}/metrics`)).text());
  console.log(`${BOMBS} bombs on ${DISK_MEGABYTES} MB: ${counted(ends)}; least room free ${Math.floor(least / 1e6)} MB`);
  console.log(`bystander: ${seen.uploads} uploads, ${seen.refused.length} refused, ${seen.completed} completed, ${seen.ended.length} ended otherwise; dead letters ${dead}`);
  for (const jobId of thrown) await bomber.delete(jobId);
  return [...seen.refused, ...seen.ended, ...(dead > 0 ? [`${dead} dead letters`] : [])];
}

/** One upload after the other, each to its end. */
async function watch(api, signal, seen) {
  while (!signal.aborted) {
    seen.uploads += 1;
    const answer = await api.tryUpload(SAMPLES.reading.path);
    if (answer.status !== 202) seen.refused.push(`a bystander's upload got ${answer.status}`);
    else {
      const { status } = await api.terminal((await answer.json()).job_id, 600_000);
      if (status === 'completed') seen.completed += 1;
      else seen.ended.push(`a bystander's job ended as ${status}`);
    }
    await new Promise((resolve) => setTimeout(resolve, BYSTANDER_EVERY_MS));
  }
}

/** A bomb whose length is not stated is decoded as far as its bytes and the room allow, and takes its account's turns: it need not end soon. */
async function endOf(api, jobId) {
  return api.terminal(jobId).then(({ error, status }) => error?.code ?? status, () => 'bounded and not ended');
}

async function junk() {
  const api = await parlance.newAccount();
  const path = await files.write('junk.mp3', Buffer.alloc(JUNK_BYTES, 'junk, not media. '));
  const before = await freeBytes();
  const codes = [];
  const send = async (count) => {
    for (let sent = 0; sent < count; sent += 1) codes.push((await api.terminal(await api.upload(path), 600_000)).error?.code);
  };
  await Promise.all(Array.from({ length: JUNK_AT_ONCE }, () => send(JUNK_UPLOADS / JUNK_AT_ONCE)));
  await eventually('the account to have nothing stored', async () => (await api.json('/account')).storage_bytes_used === 0, 120_000, 1000);
  const growth = before - (await freeBytes());
  console.log(`${codes.length} uploads of ${JUNK_BYTES / 1e6} MB of junk: ${counted(codes)}; media stored 0 bytes; disk growth ${(growth / 1e6).toFixed(1)} MB, of which media 0`);
  return growth > ALLOWED_GROWTH ? [`the disk lost ${growth} bytes`] : [];
}

async function freeBytes() {
  const { bavail, bsize } = await statfs(parlance.dataFolder);
  return bavail * bsize;
}

function deadLetters(metrics) {
  const counts = Array.from(metrics.matchAll(/^parlance_dead_letters_total(?:\{[^}]*\})? (\d+)/gm));
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

function counted(values) {
  return Object.entries(Object.groupBy(values, (value) => value)).map(([value, { length }]) => `${length} ${value}`).join(', ');
}
