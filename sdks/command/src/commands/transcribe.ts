import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ConnectionError, TimeoutError, UnexpectedResponseError, type ExportFormat, type Parlance } from '@parlance/client';
import type { Command } from 'commander';
import type { Context } from '../context.js';
import { EXIT, exitCodeOf, type ExitCode } from '../exit-codes.js';
import { CommandError, failureOf, Interruption, usageError } from '../failures.js';
import { isText, parseFormats } from '../transcribe/formats.js';
import { inParallel } from '../transcribe/in-parallel.js';
import { inputOf, type Input } from '../transcribe/inputs.js';
import { jobSettingsOf, parseCount, withJobOptions, type JobOptions, type JobSettings } from '../transcribe/job-settings.js';
import { outputStems } from '../transcribe/output-names.js';
import { progressView, type ProgressView } from '../transcribe/progress-view.js';
import { exported, finished, submit } from '../transcribe/transcribe-input.js';
import { writeWhole } from '../transcribe/write-file.js';
import { watch, type WatchOptions } from '../watch/watch.js';

interface Options extends JobOptions, WatchOptions {
  format?: ExportFormat[];
  output?: string;
  jobs: number;
  wait: boolean;
  watch?: string;
  idempotencyKey?: string;
  seal?: true;
}

const EXAMPLES = `
Examples:
  parlance transcribe talk.mp3                        prints the text
  parlance transcribe *.mp4 --format srt,docx -o out  writes out/NAME.srt and out/NAME.docx
  ffmpeg -i talk.mkv -f flac - | parlance transcribe - --language de
  parlance transcribe --watch recordings -o texts     transcribes what arrives in a folder`;

/** Adds `parlance transcribe`. */
export function addTranscribe(program: Command, context: Context): void {
  withJobOptions(program.command('transcribe'))
    .description('transcribe files, URLs, the standard input (-), or a folder (--watch)')
    .argument('[input...]', 'files, http(s) URLs, or - for the standard input')
    .option('-f, --format <names>', 'formats, separated by commas: txt, srt, vtt, json, md, docx, pdf, ttml, ass, stl, chapters.vtt', parseFormats)
    .option('-o, --output <folder>', 'write the transcripts into this folder')
    .option('-j, --jobs <number>', 'inputs at a time', parseCount, 4)
    .option('--no-wait', 'print the id of each job and do not wait for it')
    .option('--idempotency-key <key>', 'makes the command line safe to repeat: with the same key, no second job is made of an input')
    .option('--seal', 'encrypt files for the decoders of the server before they are uploaded')
    .option('-w, --watch <folder>', 'transcribe the recordings in a folder, and those that arrive')
    .option('--once', 'with --watch: end when everything in the folder is done')
    .option('--retry-failed', 'with --watch: try files again that failed')
    .option('--settle <seconds>', 'with --watch: a file is whole when it has not changed for so long', parseCount, 3)
    .option('--state <file>', 'with --watch: where it is stored what is done (default: .parlance-watch.json in the folder)')
    .addHelpText('after', EXAMPLES)
    .action(async (inputs: string[], options: Options) => {
      process.exitCode = options.watch === undefined ? await transcribe(inputs, options, context) : await watchFolder(inputs, options.watch, options, context);
    });
}

async function watchFolder(inputs: readonly string[], folder: string, options: Options, context: Context): Promise<ExitCode> {
  if (options.idempotencyKey !== undefined) throw usageError('--watch has keys of its own: leave out --idempotency-key.');
  if (options.seal) throw usageError('--watch does not encrypt: leave out --seal.');
  if (inputs.length > 0) throw usageError('--watch takes its inputs from the folder: leave out the others.');
  const { format: formats = ['txt'], output = folder } = options;
  const client = await context.client();
  return watch({ ...options, folder, output, formats, settings: await jobSettingsOf(options), client, context });
}

/** The parts that all inputs of one command line share. */
interface Run {
  client: Parlance;
  context: Context;
  settings: JobSettings;
  formats: readonly ExportFormat[];
  options: Options;
  view: ProgressView;
  /** Each input has this key with its number. */
  idempotencyKey: string;
  /** The jobs that run, by their input. */
  running: Map<Input, string>;
  stems: readonly string[];
  /** A failure that all further inputs would have as well. */
  stopped?: ExitCode;
}

async function transcribe(names: readonly string[], options: Options, context: Context): Promise<ExitCode> {
  // It is encrypted differently each time, so that a repetition would be another recording.
  if (options.seal && options.idempotencyKey !== undefined) throw usageError('--seal and --idempotency-key exclude each other.');
  const inputs = names.map((name) => inputOf(name, context.streams.stdin));
  const formats = options.format ?? ['txt'];
  requireOutput(inputs, formats, options, context);
  const client = await context.client();
  const run: Run = { client, context, settings: await jobSettingsOf(options), formats, options, idempotencyKey: options.idempotencyKey ?? randomUUID(), view: progressView(context), running: new Map(), stems: outputStems(inputs.map(({ fileName }) => fileName)) };
  try {
    const codes = await inParallel(inputs, options.jobs, (input, index) => transcribeOne(input, index, run));
    if (context.signal.aborted) throw new Interruption(interruptionNotes(run));
    return exitCodeOf(codes);
  } finally {
    run.view.end();
  }
}

/** @throws CommandError when the transcripts have no place */
function requireOutput(inputs: readonly Input[], formats: readonly ExportFormat[], { output, wait }: Options, { terminal, streams }: Context): void {
  if (inputs.length === 0) throw usageError('Name at least one file, URL or -, or a folder with --watch. `parlance transcribe --help` has examples.');
  if (inputs.filter(({ fileName, label }) => fileName === 'stdin' && label === 'stdin').length > 1) throw usageError('The standard input (-) can be given once.');
  if (!wait || output !== undefined || terminal.isJson) return;
  if (inputs.length * formats.length > 1) throw usageError('Several transcripts need a folder: -o DIR. With --json, one line for each goes to the standard output.');
  const [format = 'txt'] = formats;
  if (!isText(format) && streams.stdout.isTTY) throw usageError(`${format} is not text: give a folder with -o DIR, or redirect the standard output.`);
}

async function transcribeOne(input: Input, index: number, run: Run): Promise<ExitCode> {
  if (run.stopped !== undefined) return run.stopped;
  const progress = run.view.add(input.label);
  try {
    const { client, settings, context, options } = run;
    const { job_id: jobId, ...accepted } = await submit(input, { client, settings, signal: context.signal, progress, idempotencyKey: `${run.idempotencyKey}-${index}`, maxRetries: context.maxRetries, seal: options.seal });
    if (!options.wait) {
      progress.end();
      run.view.above(() => (context.terminal.isJson ? context.terminal.printJson({ job_id: jobId, ...accepted, input: input.label }) : context.terminal.print(jobId)));
      return EXIT.ok;
    }
    run.running.set(input, jobId);
    const job = await finished(jobId, { client, signal: context.signal, progress, maxRetries: context.maxRetries });
    progress.end();
    await deliver(jobId, input, index, run);
    run.running.delete(input);
    if (context.terminal.isJson) run.view.above(() => context.terminal.printJson({ ...job, input: input.label }));
    return EXIT.ok;
  } catch (error) {
    progress.end();
    return failed(error, input, run);
  }
}

/** Writes the documents of a job, or prints the only one. */
async function deliver(jobId: string, input: Input, index: number, { client, context, formats, options, stems, view }: Run): Promise<void> {
  if (options.output === undefined && context.terminal.isJson) return;
  for (const { format, content } of await exported(client, jobId, formats, context.signal)) {
    if (options.output === undefined) {
      context.terminal.write(typeof content === 'string' && !content.endsWith('\n') ? `${content}\n` : content);
      continue;
    }
    const path = join(options.output, `${stems[index]}.${format}`);
    await writeWhole(path, content);
    view.above(() => context.terminal.note(`${input.label} → ${path}`));
  }
}

async function failed(error: unknown, input: Input, run: Run): Promise<ExitCode> {
  const { context, running, view } = run;
  if (context.signal.aborted) return EXIT.interrupted;
  const { message, exitCode } = failureOf(error, (await context.connection()).baseUrl);
  if (exitCode === EXIT.auth || exitCode === EXIT.limited) run.stopped = exitCode;
  const jobId = running.get(input);
  running.delete(input);
  view.above(() => context.terminal.failure([`${input.label}: ${message}`, ...nextSteps(error, message, jobId, run)].join(' ')));
  return exitCode;
}

/** Says what to do about a job that may continue, or that may have been created though its answer was lost. */
function nextSteps(error: unknown, message: string, jobId: string | undefined, { idempotencyKey }: Run): string[] {
  if (jobId !== undefined) return error instanceof CommandError || message.includes(jobId) ? [] : [`The job ${jobId} may continue: parlance export ${jobId} --wait`];
  const isUnknown = error instanceof ConnectionError || error instanceof TimeoutError || (error instanceof UnexpectedResponseError && error.retryable);
  return isUnknown ? [`To make no second job, run the same line with --idempotency-key ${idempotencyKey}`] : [];
}

/** Lines that say which jobs continue, and how to take them up. */
function interruptionNotes({ running, formats, options: { output } }: Run): string[] {
  if (running.size === 0) return ['Interrupted before a job was created.'];
  const notes = ['Interrupted. The server continues with:'];
  for (const [{ label }, jobId] of running) notes.push(`  ${jobId}  ${label}`);
  const ids = [...running.values()].join(' ');
  return [...notes, `Take up again: parlance export ${ids} --wait --format ${formats.join(',')}${output === undefined ? '' : ` -o ${shellWord(output)}`}`, `Stop: parlance cancel ${ids}`];
}

const shellWord = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);
