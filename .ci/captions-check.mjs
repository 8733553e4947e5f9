// TTML, EBU STL and ASS as other libraries read them: ttconv, pysubs2 and ffmpeg find the cues that SRT has.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderBytes, renderTranscript } from '@parlance/transcript';

const READER = fileURLToPath(new URL('captions_check.py', import.meta.url));
const TEXT = 'Every morning she walked along the river, past the mill & the <old> bridge. Señor Müller from Łódź drank his café crème; “naïve”, he said. It cost 5$ or £4, about 50% more {than} last year! Ægir, Þór, Œuvre, Dvořák, Ångström, ğ and ő.';
/** Half a frame of 25 a second, and a hundredth. */
const ROUNDED = { stl: 0.0201, ass: 0.0051, ttml: 0 };

function segments() {
  return Array.from({ length: 40 }, (_, number) => {
    const start = number * 95.357;
    const words = TEXT.split(' ').map((text, index) => ({ text, start: start + index * 0.4, end: start + index * 0.4 + 0.3, speakerId: `S${(number % 2) + 1}` }));
    return { segmentId: `seg_${number}`, start, end: words.at(-1).end, speakerId: `S${(number % 2) + 1}`, text: TEXT, words };
  });
}

const source = {
  info: { language: 'en', duration: 4000, speakers: [{ speakerId: 'S1', name: 'Zoë <A&B>', talkTime: 1 }, { speakerId: 'S2', name: 'Ben', talkTime: 1 }] },
  segments: async function* () {
    yield* segments();
  },
};

async function written(format) {
  const pieces = [];
  for await (const piece of format === 'stl' ? (await renderBytes(format, source)).pieces : renderTranscript(format, source)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** `[start, end, text]`, in seconds. */
function cuesOfSrt(text) {
  const seconds = (code) => code.split(/[:,]/).reduce((sum, part, index) => sum + Number(part) * [3600, 60, 1, 0.001][index], 0);
  return text.trim().split('\n\n').map((cue) => {
    const [, times, ...lines] = cue.split('\n');
    return [...times.split(' --> ').map(seconds), lines.join('\n')];
  });
}

/** The characters that SRT and ASS write as others. */
const alike = (text) => text.replaceAll('‹', '<').replaceAll('{', '(').replaceAll('}', ')');

function compare(found, expected, tolerance) {
  if (found.length !== expected.length) throw new Error(`${found.length} cues instead of ${expected.length}`);
  for (const [index, [start, end, text]] of expected.entries()) {
    const [foundStart, foundEnd, foundText] = found[index];
    if (Math.abs(foundStart - start) > tolerance + 1e-6 || Math.abs(foundEnd - end) > tolerance + 1e-6) throw new Error(`cue ${index}: ${foundStart} to ${foundEnd} instead of ${start} to ${end}`);
    if (alike(foundText) !== alike(text)) throw new Error(`cue ${index}: ${JSON.stringify(foundText)} instead of ${JSON.stringify(text)}`);
  }
  return `${found.length} cues`;
}

export async function checkCaptions(check, folder) {
  const expected = cuesOfSrt((await written('srt')).toString());
  for (const format of ['ttml', 'stl', 'ass']) {
    const path = join(folder, `captions.${format}`);
    writeFileSync(path, await written(format));
    const reader = format === 'ass' ? 'pysubs2' : 'ttconv';
    await check(`${reader} finds the cues of SRT in ${format}`, () => compare(JSON.parse(execFileSync(process.env.PYTHON, [READER, path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })), expected, ROUNDED[format]));
  }
  await check('ffmpeg finds the cues of SRT in ass', () => {
    const srt = execFileSync('ffmpeg', ['-v', 'error', '-i', join(folder, 'captions.ass'), '-f', 'srt', '-'], { encoding: 'utf8' });
    return compare(cuesOfSrt(srt.replaceAll('\r', '').replaceAll(/<\/?(?:font|b|i)\b[^>]*>/g, '').trim()), expected, ROUNDED.ass);
  });
}
