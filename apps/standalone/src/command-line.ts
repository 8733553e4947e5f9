import { parseArgs } from 'node:util';

export interface CommandLine {
  /** Files and URLs to transcribe; empty: the samples of the repository, unless noSample. */
  recordings: string[];
  /** File to play into a live session, instead of transcribing recordings. */
  live?: string;
  once: boolean;
  noSample: boolean;
  help: boolean;
}

export const USAGE = `Usage: npm start -- [options] [FILE_OR_URL…]

Runs Parlance in one process and transcribes the given recordings (the samples of the repository when none is given).

  --once        exit when the recordings are done: 0 when every transcript came back, else 1
  --live FILE   play the file into a live session at its own speed, show what is recognized, and exit
                (one process at a time has the data folder)
  --no-sample   only serve
  --help        show this

Settings are environment variables: PORT (3000), HOST (127.0.0.1), PARLANCE_DATA (./data), SPEECH_ENGINE_URL, …
A URL on this machine or a private network needs its address in EGRESS_ALLOW, for instance 127.0.0.0/8.`;

/** @throws TypeError when an option is unknown; `usageMessage` has the words for it. */
export function parseCommandLine(args: string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { once: { type: 'boolean' }, live: { type: 'string' }, 'no-sample': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  const { live, once = false, 'no-sample': noSample = false, help = false } = values;
  return { recordings: positionals, ...(live !== undefined && { live }), once, noSample, help };
}

/** The codes of parseArgs for a wrong option; any other TypeError is a defect of ours. */
export const isUsageError = (thrown: unknown): thrown is TypeError =>
  String((thrown as NodeJS.ErrnoException | null)?.code).startsWith('ERR_PARSE_ARGS_');

/** One line for the user: what is wrong, and where it says what is right. */
export function usageMessage(error: TypeError): string {
  // The rest of Node's message is about `--`, which npm has taken away by then.
  const [what = ''] = error.message.split(/\.\s/);
  return `${what.replace(/\.$/, '')}; npm start -- --help shows the options (a file whose name begins with "-" is ./-name).`;
}

/** The text as one word of a POSIX shell, quoted only where it must be. */
export function shellWord(text: string): string {
  if (/^[\w./,:@%+=][\w./,:@%+=-]*$/.test(text)) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
