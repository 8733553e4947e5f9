import type { SpokenLine } from '../spoken-line.js';

/** Lines of four seconds with a second between; `Ann: Hello` is said by `spk_Ann`. */
export const lines = (texts: readonly string[]): SpokenLine[] =>
  texts.map((spoken, index) => {
    const [, name, text = spoken] = /^([A-Z][a-z]+): (.*)$/u.exec(spoken) ?? [];
    const speaker = name === undefined ? {} : { speakerId: `spk_${name}` };
    return { segmentId: `seg_${String(index + 1).padStart(6, '0')}`, start: index * 5, end: index * 5 + 4, text, ...speaker };
  });
