/** The exit codes of the command, as docs/clients/command.md lists them. */
export const EXIT = { ok: 0, failure: 1, usage: 2, partlyFailed: 3, auth: 4, limited: 5, interrupted: 130 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The code of a run over several inputs, of which each has its own. */
export function exitCodeOf(codes: readonly ExitCode[]): ExitCode {
  const failures = new Set(codes.filter((code) => code !== EXIT.ok));
  if (failures.size === 0) return EXIT.ok;
  if (failures.has(EXIT.interrupted)) return EXIT.interrupted;
  if (codes.includes(EXIT.ok)) return EXIT.partlyFailed;
  const [only = EXIT.failure] = failures;
  return failures.size === 1 ? only : EXIT.failure;
}
