import { ENTITY_TYPES, entityReader } from '@parlance/text-analysis';
import { labelledEntities, RECORDED_AT } from '../entities/labelled-set.mjs';

const SETS = { tuned: 'sentences that the rules were tuned on', 'held-out': 'other sentences' };

/** Entities by rules, in labelled sentences: precision and recall of type and exact words, and how many normalised values are right. */
export async function entities() {
  const rows = [];
  for (const [set, description] of Object.entries(SETS)) {
    const scores = await scored(set);
    rows.push(row(`entities by rules, ${description}`, [...scores.values()].reduce(sum)));
    for (const type of ENTITY_TYPES) if (scores.has(type)) rows.push(row(`entities by rules, ${set}: ${type}`, scores.get(type)));
  }
  return rows;
}

const row = (name, { right, found, labelled, values, sameValues }) => ({
  name,
  measured: `precision ${share(right, found)}, recall ${share(right, labelled)}`,
  baseline: `${labelled} labelled, ${found} found`,
  ratio: values > 0 ? `values ${share(sameValues, values)}` : '',
  target: '',
});

const share = (part, whole) => (whole === 0 ? '–' : (part / whole).toFixed(3));
const sum = (one, other) => Object.fromEntries(Object.keys(one).map((key) => [key, one[key] + other[key]]));
const NONE = { right: 0, found: 0, labelled: 0, values: 0, sameValues: 0 };

async function scored(set) {
  const scores = new Map();
  const add = (type, counts) => scores.set(type, sum(scores.get(type) ?? NONE, { ...NONE, ...counts }));
  for (const { language, text, entities: labels } of await labelledEntities(set)) {
    const read = await entityReader({ language, recordedAt: RECORDED_AT });
    const found = read(text);
    const isSame = (one, other) => one.type === other.type && one.from === other.from && one.to === other.to;
    for (const entity of found) add(entity.type, { found: 1 });
    for (const label of labels) {
      const match = found.find((entity) => isSame(entity, label));
      const values = label.normalized === undefined ? 0 : 1;
      add(label.type, { labelled: 1, right: match ? 1 : 0, values, sameValues: values > 0 && match?.normalized === label.normalized ? 1 : 0 });
    }
  }
  return scores;
}
