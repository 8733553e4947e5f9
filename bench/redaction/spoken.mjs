import { spawnSync } from 'node:child_process';
import { recognizerFromUrl } from '@parlance/engines';
import { redactionReader } from '@parlance/text-analysis';
import { say } from '../dialogues/make-dialogue.mjs';
import { randomFrom } from '../random.mjs';
import { spokenCard } from './hard-numbers.mjs';

const VOICES = ['slt', 'rms', 'awb'];
/** Sentences of each voice. */
const SIZES = { smoke: 1, quick: 4, full: 12 };
const FRAMES = [['my card number is ', '. please charge it today'], ['the number on the card is ', '. did you get that'], ['you can take it from ', '. thank you very much']];
const DIGITS = new Set('zero oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety double triple'.split(' '));
const POLICIES = { card_number: ['card_number'], 'card_number and number_sequence': ['card_number', 'number_sequence'] };

/** Card numbers read out by flite's voices and recognised by pocketsphinx, with its mistakes: the part of the number that can be read after redaction. */
export async function spokenCards(size, names) {
  if (spawnSync('flite', ['--version']).error) return [{ name: 'redaction: spoken card numbers', measured: 'not measured: no flite', baseline: '', ratio: '', target: '' }];
  const heard = await recognized(sentences(SIZES[size]));
  return Promise.all(Object.entries(POLICIES).map(async ([name, policies]) => {
    const find = await redactionReader({ language: 'en-US', recordedAt: new Date('2026-11-18T10:00:00Z') }, policies, names);
    let [hidden, left, all] = [0, 0, 0];
    for (const { text } of heard) {
      const [before, after] = [digitsIn(text), digitsIn(without(text, await find(text)))];
      if (process.env.SHOW) console.log(text, '=>', without(text, await find(text)));
      all += before;
      left += after;
      if (after === 0) hidden += 1;
    }
    return {
      name: `redaction: card numbers that flite speaks and pocketsphinx recognises, ${name}`,
      measured: `${hidden} of ${heard.length} have no digit left; ${((left / all) * 100).toFixed(1)} % of the number words remain`,
      baseline: `${heard.filter(({ isRight }) => isRight).length} of ${heard.length} recognised to the digit`,
      ratio: '',
      target: '',
    };
  }));
}

function sentences(count) {
  const next = randomFrom(20_261_128);
  const random = (bound) => Math.floor(next() * bound);
  return VOICES.flatMap((voice) => Array.from({ length: count }, (_, index) => {
    const [before, after] = FRAMES[index % FRAMES.length];
    return { voice, number: spokenCard(index, random), before, after };
  }));
}

async function recognized(all) {
  const engine = recognizerFromUrl('pocketsphinx:');
  try {
    const heard = [];
    for (const { voice, number, before, after } of all) {
      const samples = say(voice, `${before}${number}${after}`);
      const { words } = await engine.recognize({ pcm: Buffer.from(Int16Array.from(samples).buffer), signal: new AbortController().signal });
      const text = words.map((word) => word.text).join(' ');
      heard.push({ text, isRight: numberWords(text).join(' ') === numberWords(number).join(' ') });
    }
    return heard;
  } finally {
    await engine.close();
  }
}

const numberWords = (text) => text.toLowerCase().match(/\p{L}+/gu).filter((word) => DIGITS.has(word));
const digitsIn = (text) => (text === '' ? 0 : (text.toLowerCase().match(/\p{L}+|\d/gu) ?? []).filter((word) => DIGITS.has(word) || /\d/u.test(word)).length);
const without = (text, places) => places.toReversed().reduce((rest, { from, to }) => `${rest.slice(0, from)}#${rest.slice(to)}`, text);
