import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, ParlanceProcess } from '@parlance/testing';
import { longRecording } from '../media.mjs';

const HOURS = { smoke: 0.05, quick: 1, full: 10 };
const EDITS = 20;

/** One word of a long transcript is edited: the time of the answer, and until documents and search show the word. */
export async function editing(size) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-'));
  const parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'warn' } });
  try {
    const { api } = parlance;
    const options = { diarization: 'false', summary: 'false', highlights: 'false' };
    const job = await api.terminal(await api.upload(longRecording(folder, HOURS[size] * 3600), options), 2 * 3600 * 1000);
    const { segments, text } = job.transcript;
    const edits = [];
    for (let nth = 0; nth < EDITS; nth++) edits.push(await edited(api, job.job_id, segments[Math.floor((segments.length * nth) / EDITS)], nth));
    return rowsOf(`${HOURS[size]} h, ${text.split(' ').length} words`, edits);
  } finally {
    await parlance.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Milliseconds. */
async function edited(api, jobId, segment, nth) {
  const word = `xylophone${nth}`;
  const began = performance.now();
  const since = () => performance.now() - began;
  const body = JSON.stringify({ text: segment.text.replace(/^\S+/, word) });
  const { status } = await api.request('PATCH', `/transcriptions/${jobId}/segments/${segment.segment_id}`, { body, headers: { 'content-type': 'application/json' } });
  if (status !== 200) throw new Error(`the edit was answered with ${status}`);
  const answered = since();
  if (!(await api.transcript(jobId, 'srt')).includes(word)) throw new Error('the captions do not have the edited word');
  const exported = since();
  await eventually('search to find the word', async () => (await api.json(`/search?q=${word}&mode=lexical&job_id=${jobId}`)).data.length > 0, 60_000, 20);
  return { answered, exported, found: since() };
}

function rowsOf(what, edits) {
  const row = (name, part, limit) => {
    const times = edits.map((edit) => edit[part]).toSorted((one, other) => one - other);
    const [median, most] = [times[Math.floor(times.length / 2)], times.at(-1)];
    return { name: `${name} (${what})`, measured: `median ${median.toFixed(0)} ms, most ${most.toFixed(0)} ms`, baseline: '', ratio: '', target: `≤ ${limit} ms`, met: most <= limit };
  };
  return [row('editing one word, answered', 'answered', 200), row('editing one word, whole captions read', 'exported', 2000), row('editing one word, found by search', 'found', 2000)];
}
