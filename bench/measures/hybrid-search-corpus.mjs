/** Passages of a transcript of an hour. */
const PASSAGES_A_JOB = 500;
const WORDS_A_PASSAGE = 40;
const VOCABULARY = 50_000;
const TOPICS = 200;

export const DIMENSIONS = 256;
export const ACCOUNT = 'bench';

/**
 * Made-up speech: words as frequent as in a language (Zipf), each passage of some topic by its vector. The same in each run.
 * @returns {{jobs(count: number): Iterable<object>, queries(count: number): {text: string, embedding: Float32Array}[]}}
 */
export function corpus(seed = 1) {
  const random = mulberry32(seed);
  const topics = Array.from({ length: TOPICS }, () => direction(random));
  const passage = (index) => ({
    id: `p${index}`,
    language: 'en',
    speaker: { id: `spk_${index % 3}` },
    start: index * 7,
    end: index * 7 + 7,
    text: Array.from({ length: WORDS_A_PASSAGE }, () => word(random)).join(' '),
    embedding: near(topics[Math.floor(random() * TOPICS)], random),
  });
  return {
    *jobs(count) {
      for (let job = 0; job * PASSAGES_A_JOB < count; job += 1) {
        const passages = Array.from({ length: Math.min(PASSAGES_A_JOB, count - job * PASSAGES_A_JOB) }, (_, index) => passage(index));
        yield { accountId: ACCOUNT, jobId: `job${job}`, version: 1, createdAt: '2026-01-01T00:00:00.000Z', duration: 3600, passages };
      }
    },
    /** As people ask: two to six words, some of them everyday ones. */
    queries: (count) =>
      Array.from({ length: count }, () => ({
        text: Array.from({ length: 2 + Math.floor(random() * 5) }, () => word(random)).join(' '),
        embedding: near(topics[Math.floor(random() * TOPICS)], random),
      })),
  };
}

/** The rank is log-uniform, which makes a frequency that falls with it. */
const word = (random) => spelled(Math.floor(VOCABULARY ** random()));

/** A pronounceable word for each number, no two alike. */
function spelled(number) {
  const [consonants, vowels] = ['bdfgklmnprstvz', 'aeiou'];
  let text = '';
  for (let rest = number; rest > 0 || text === ''; rest = Math.floor(rest / 70)) text += consonants[rest % 14] + vowels[Math.floor(rest / 14) % 5];
  return text;
}

const direction = (random) => unit(Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5));
const near = (center, random) => unit(center.map((value) => value + (random() - 0.5) * 0.12));

function unit(vector) {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

/** https://gist.github.com/tommyettinger/46a874533244883189143505d203312c: small, and good enough for made-up speech. */
function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
