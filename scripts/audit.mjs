// `npm run audit`: known vulnerabilities of the packages that ship, as the npm registry knows them.
// Exit code 0: none of high severity or above. 1: some. 75 (EX_TEMPFAIL of sysexits.h): nothing was checked, because no registry
// answered the question.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const NOT_CHECKED = 75;
const FAILING = ['high', 'critical'];

/** @param {string} output of `npm audit --json` @returns {{ status: number, lines: string[] }} */
export function verdict(output) {
  const report = parsed(output);
  const counts = report?.metadata?.vulnerabilities;
  if (!counts || !report.vulnerabilities) {
    const cause = report?.message ?? report?.error?.summary ?? 'no readable answer';
    return { status: NOT_CHECKED, lines: [`not checked: the registry did not answer npm audit (${firstLine(cause)})`] };
  }
  const found = Object.values(report.vulnerabilities).filter(({ severity }) => FAILING.includes(severity));
  const lines = found.map(({ name, severity, range }) => `${severity}: ${name} ${range}`);
  const summary = Object.entries(counts).map(([severity, count]) => `${count} ${severity}`);
  return { status: found.length === 0 ? 0 : 1, lines: [...lines, `checked: ${summary.join(', ')}`] };
}

/** Without the address of the registry, which may be private. */
const firstLine = (text) => String(text).split('\n')[0].replaceAll(/https?:\/\/\S+/g, '…');

function parsed(output) {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, timeout: 60_000 });
  const { status, lines } = verdict(stdout ?? '');
  for (const line of lines) console.log(line);
  process.exitCode = status;
}
