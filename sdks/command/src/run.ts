import { CommanderError } from 'commander';
import { Context } from './context.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { failureOf, Interruption } from './failures.js';
import { createProgram } from './program.js';

/** Runs one command line. @returns the exit code */
export async function run(args: readonly string[], process: NodeJS.Process): Promise<ExitCode> {
  const abort = new AbortController();
  const context = new Context(process, process.env, abort.signal);
  exitWhenPipeCloses(process);
  interruptBySignals(process, abort);
  try {
    await createProgram(context).parseAsync(args, { from: 'user' });
    return (process.exitCode as ExitCode | undefined) ?? EXIT.ok;
  } catch (error) {
    return await reported(error, context);
  }
}

async function reported(error: unknown, context: Context): Promise<ExitCode> {
  // Commander has printed its message or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (context.signal.aborted) {
    for (const note of error instanceof Interruption ? error.notes : []) context.terminal.error(note);
    return EXIT.interrupted;
  }
  const { baseUrl } = await context.connection().catch(() => ({ baseUrl: undefined }));
  const { message, exitCode } = failureOf(error, baseUrl);
  context.terminal.failure(message);
  return exitCode;
}

/** The second signal ends the process at once. */
function interruptBySignals(process: NodeJS.Process, abort: AbortController): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (abort.signal.aborted) process.exit(EXIT.interrupted);
      abort.abort(new Interruption());
      // Ends the reading of a pipe that stays open.
      process.stdin.destroy();
    });
  }
}

/** The end of a pipe, as of `parlance list | head -1`, ends the command. */
function exitWhenPipeCloses(process: NodeJS.Process): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT.ok);
  });
}
