import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** Characters of text that are hashed before others have their turn on the event loop. */
const CHARACTERS_PER_TURN = 128 * 1024;

/** Equal for requests that mean the same: the order of an object's members does not count. */
export function fingerprint(request: unknown): string {
  const hash = createHash('sha256');
  for (const piece of canonical(request)) hash.update(piece);
  return hash.digest('hex');
}

/** The same for a request of many bytes: hashing a form of 1 MiB at once would hold the event loop for some 30 ms. */
export async function fingerprintInTurns(request: unknown): Promise<string> {
  const hash = createHash('sha256');
  let characters = 0;
  for (const piece of canonical(request)) {
    hash.update(piece);
    characters += piece.length;
    if (characters < CHARACTERS_PER_TURN) continue;
    characters = 0;
    await setImmediate();
  }
  return hash.digest('hex');
}

/** JSON with the members of objects sorted by name, in pieces. */
function* canonical(value: unknown): Generator<string> {
  if (Array.isArray(value)) yield* canonicalArray(value);
  else if (typeof value === 'object' && value !== null) yield* canonicalObject(value);
  else yield JSON.stringify(value) ?? 'null';
}

function* canonicalArray(values: readonly unknown[]): Generator<string> {
  for (const [index, value] of values.entries()) {
    yield index === 0 ? '[' : ',';
    yield* canonical(value);
  }
  yield values.length === 0 ? '[]' : ']';
}

function* canonicalObject(value: object): Generator<string> {
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  for (const [index, [name, member]] of members.entries()) {
    yield `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    yield* canonical(member);
  }
  yield members.length === 0 ? '{}' : '}';
}
