/** Several times what recovery takes on a busy machine: what hangs is found all the same, and the report has the time that it took. */
export const RECOVERY_LIMIT_MS = 180_000;
const SHOWN = 8;

const sum = (results, field) => results.reduce((total, result) => total + result[field], 0);

/** Line of one round, and below it what was broken. */
export function roundLine(round, kind, result) {
  const head = `${String(round).padStart(4)}  ${kind.padEnd(11)}  ${counts([result])}, recovered in ${result.recoverySeconds.toFixed(1)} s (${result.seconds.toFixed(1)} s)`;
  const broken = result.broken.slice(0, SHOWN).map((line) => `      BROKEN ${line}`);
  if (result.broken.length > SHOWN) broken.push(`      and ${result.broken.length - SHOWN} more`);
  return [result.note === undefined ? head : `${head}; ${result.note}`, ...broken].join('\n');
}

/** @param skipped why the kind cannot be made on this machine */
export function summaryLine(kind, results, skipped) {
  if (skipped !== undefined) return `${kind}: skipped, ${skipped}`;
  if (results.length === 0) return `${kind}: no round`;
  const slowest = Math.max(...results.map(({ recoverySeconds }) => recoverySeconds));
  const broken = results.filter((result) => result.broken.length > 0).length;
  return `${kind}: ${results.length} rounds, ${counts(results)}${killed(results)}, slowest recovery ${slowest.toFixed(1)} s: ${broken === 0 ? 'ok' : `${broken} ROUNDS BROKEN`}`;
}

/** Counts the live sessions under which each kind of process was killed. */
function killed(results) {
  const totals = {};
  for (const { kills = {} } of results) for (const [part, count] of Object.entries(kills)) totals[part] = (totals[part] ?? 0) + count;
  return Object.entries(totals).map(([part, count]) => `, ${count} kills of the ${part} of a live session`).join('');
}

/** Status of a command that tested nothing: neither passed nor failed. */
const NOT_CHECKED = 75;

/** @param named whether the kinds were asked for by name: then each must have had a round */
export function exitCode(results, { named }) {
  const rounds = Array.from(results.values());
  if (rounds.flat().some(({ broken }) => broken.length > 0)) return 1;
  const untested = rounds.filter((ofKind) => ofKind.length === 0).length;
  return untested === rounds.length || (named && untested > 0) ? NOT_CHECKED : 0;
}

const counts = (results) =>
  [
    `${sum(results, 'acknowledged')} jobs and ${sum(results, 'accounts')} accounts acknowledged`,
    `${sum(results, 'lost')} lost`,
    `${sum(results, 'undone')} undone`,
    `${sum(results, 'doubled')} without exactly one terminal event`,
    `${sum(results, 'deadLetters')} dead letters`,
    `${sum(results, 'open')} failed or open after ${RECOVERY_LIMIT_MS / 1000} s`,
  ].join(', ');
