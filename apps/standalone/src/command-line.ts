import { parseArgs } from 'node:util';

export interface CommandLine {
  /** Files and URLs to transcribe; empty: the samples of the repository, unless noSample. */
  recordings: string[];
  once: boolean;
  noSample: boolean;
  help: boolean;
}

export const USAGE = `Usage: npm start -- [options] [FILE_OR_URL…]

Runs Parlance in one process and transcribes the given recordings (the samples of the repository when none is given).

  --once        exit when the recordings are done: 0 when every transcript came back, else 1
  --no-sample   only serve
  --help        show this

Settings are environment variables: PORT (3000), HOST (127.0.0.1), PARLANCE_DATA (./data), SPEECH_ENGINE_URL, …`;

/** @throws TypeError with a message for the user when an option is unknown. */
export function parseCommandLine(args: string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { once: { type: 'boolean' }, 'no-sample': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  return { recordings: positionals, once: values.once ?? false, noSample: values['no-sample'] ?? false, help: values.help ?? false };
}

/** What parseArgs says of an option it does not know; any other TypeError is a defect of ours. */
export const isUsageError = (thrown: unknown): thrown is TypeError =>
  String((thrown as NodeJS.ErrnoException | null)?.code).startsWith('ERR_PARSE_ARGS_');
