// The form of a decision record, which is the same for all.

/** The second paragraph of each record: whether it holds, since when, and what it replaces or is replaced by. */
const STATUS = /^Status: (?<state>accepted|superseded), \d{4}-\d{2}-\d{2}\.(?<more>(?: .*)?)$/u;

/** @returns faults of the record's form, and which records supersede it and which it supersedes */
export function readDecision(number, text) {
  const [title = '', , status = ''] = text.split('\n');
  const faults = [];
  if (!title.startsWith(`# ${number}. `)) faults.push(`the title does not begin with "# ${number}. "`);
  const match = STATUS.exec(status);
  if (match === null) return { faults: [...faults, 'the third line is not "Status: accepted, YYYY-MM-DD." or "Status: superseded, YYYY-MM-DD. Superseded by …"'], supersededBy: [], supersedes: [] };
  const { state } = match.groups;
  const more = match.groups.more.replaceAll(/\]\([^()]*\)/gu, ']');
  const supersededBy = sentenceNumbers(more, /Superseded (?:in part )?by ([^.:]*)/gu);
  const supersedes = sentenceNumbers(more, /Supersedes ([^.:]*)/gu);
  const whole = /Superseded by /u.test(more);
  if ((state === 'superseded') !== whole) faults.push('a record is "superseded" when another one supersedes it as a whole, and only then');
  return { faults, supersededBy, supersedes };
}

const sentenceNumbers = (text, sentence) => [...text.matchAll(sentence)].flatMap(([, names]) => [...names.matchAll(/\[decision (\d+)\]/gu)].map(([, number]) => Number(number)));
