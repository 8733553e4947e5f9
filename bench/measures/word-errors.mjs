import { recognizerFromUrl, wordErrorRate } from '@parlance/engines';
import { ParlanceProcess } from '@parlance/testing';
import { pcmOf, referencedRecordings } from '../media.mjs';
import { percent } from '../table.mjs';

/** The word error rate of what the product answers, against the same engine on the whole recording in one piece. */
export async function wordErrors(size) {
  const recordings = size === 'smoke' ? referencedRecordings().slice(0, 1) : referencedRecordings();
  const parlance = await ParlanceProcess.start({ env: { LOG_LEVEL: 'warn' } });
  const engine = recognizerFromUrl('pocketsphinx:');
  const total = { words: 0, chunked: 0, whole: 0 };
  const rows = [];
  try {
    for (const { name, path, reference } of recordings) {
      const jobId = await parlance.api.upload(path);
      await parlance.api.terminal(jobId, 600_000);
      const chunked = wordErrorRate(reference, await parlance.api.transcript(jobId, 'txt', '&speakers=false&timestamps=false'));
      const { words } = await engine.recognize({ pcm: pcmOf(path), signal: new AbortController().signal });
      const whole = wordErrorRate(reference, words.map(({ text }) => text).join(' '));
      total.words += chunked.referenceWords;
      total.chunked += errorsOf(chunked);
      total.whole += errorsOf(whole);
      rows.push({ name: `WER of ${name}`, measured: percent(chunked.rate), baseline: `in one piece: ${percent(whole.rate)}`, ratio: '', target: '' });
    }
  } finally {
    await engine.close();
    await parlance.dispose();
  }
  const worse = ((total.chunked - total.whole) / total.words) * 100;
  rows.push({
    name: 'WER, all recordings',
    measured: percent(total.chunked / total.words),
    baseline: `in one piece: ${percent(total.whole / total.words)}`,
    ratio: `${worse >= 0 ? '+' : ''}${worse.toFixed(2)} points`,
    target: '≤ +0.5 points',
    met: worse <= 0.5,
  });
  return rows;
}

const errorsOf = ({ substitutions, deletions, insertions }) => substitutions + deletions + insertions;
