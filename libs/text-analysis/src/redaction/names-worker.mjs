// Finds names of people, places and organizations in English texts: compromise takes a third of a second to load, and longer
// for a long text, too long for a thread that answers requests. Plain JavaScript, so that a worker can load it as it is from src/ and from dist/.
import { parentPort } from 'node:worker_threads';
import nlp from 'compromise/three';

const isAround = (character) => /[\p{P}\p{S}\p{C}\s]/u.test(character);
const isBefore = (character) => isAround(character) || /\p{M}/u.test(character);

/** The name without the characters around it and the possessive ending, which belong to the sentence. */
function bareName(text) {
  const characters = Array.from(text);
  let [start, end] = [0, characters.length];
  while (end > 0 && isAround(characters[end - 1])) end -= 1;
  while (start < end && isBefore(characters[start])) start += 1;
  return characters.slice(start, end).join('').replace(/['’]s$/u, '');
}

/** The offset of the name itself: that of compromise, `start`, is after some of the characters before a name and before others. */
function beginOf(said, text, start) {
  const from = text.indexOf(said, start);
  return from >= 0 && Array.from(text.slice(start, from)).every(isBefore) ? from : start;
}

const places = (text, view, policy) =>
  view.json({ offset: true, terms: false }).map(({ text: found, offset: { start, length } }) => {
    const said = bareName(found.slice(0, length));
    const from = beginOf(said, text, start);
    return { policy, from, to: Math.min(from + said.length, text.length), value: said.toLowerCase() };
  });

parentPort.on('message', ({ id, text }) => {
  const doc = nlp(text);
  const found = [...places(text, doc.people(), 'person'), ...places(text, doc.organizations(), 'organization'), ...places(text, doc.places(), 'location')];
  parentPort.postMessage({ id, found: found.filter(({ from, to }) => to > from) });
});
