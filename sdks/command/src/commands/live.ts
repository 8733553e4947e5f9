import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { LiveFinal, LivePartial, LiveSession } from '@parlance/client';
import { InvalidArgumentError, type Command } from 'commander';
import type { Context } from '../context.js';
import { CommandError, failureOf, Interruption } from '../failures.js';
import { piecesUntil } from '../pieces-until.js';
import { printable } from '../terminal.js';
import { jobSettingsOf, withJobOptions, type JobOptions } from '../transcribe/job-settings.js';

type Raw = { encoding: 'pcm_s16le' | 'mulaw' | 'alaw'; sample_rate: number; channels: number };

interface Options extends JobOptions {
  raw?: Raw;
}

const EXAMPLES = `
Examples:
  ffmpeg -loglevel error -f pulse -i default -f s16le -ar 16000 -ac 1 - | parlance live - --raw pcm_s16le:16000:1
  parlance live talk.webm`;

/** Adds `parlance live`. */
export function addLive(program: Command, context: Context): void {
  withJobOptions(program.command('live'))
    .description('transcribe while audio comes: finals go to the standard output, partials to the terminal')
    .argument('<input>', 'a file, or - for the standard input')
    .option('--raw <format>', 'the audio is samples without a container: encoding:rate:channels, such as pcm_s16le:16000:1', parseRaw)
    .addHelpText('after', EXAMPLES)
    .action((input: string, options: Options) => live(input, options, context));
}

async function live(input: string, options: Options, context: Context): Promise<void> {
  const audio = input === '-' ? context.streams.stdin : await fileOf(input);
  const client = await context.client();
  const partials = new PartialLine(context);
  const onFinal = (final: LiveFinal) => {
    partials.clear();
    if (context.terminal.isJson) context.terminal.printJson(final);
    else context.terminal.print(printable(final.text));
  };
  const session = await client.live.connect(
    { ...(await jobSettingsOf(options)), audio: options.raw ?? { container: 'auto' } },
    {
      onFinal,
      onPartial: (partial) => partials.show(partial),
      onGap: ({ from_ms: from, to_ms: to }) => context.terminal.note(`No audio from ${from} to ${to} ms.`),
      ...(context.maxRetries !== undefined && { maxRetries: context.maxRetries }),
      onReconnect: () => context.terminal.note('The connection was lost; connecting again.'),
    },
  );
  try {
    await send(audio, session, context.signal);
    const { transcription_id: jobId } = await session.finish();
    partials.clear();
    if (context.signal.aborted) throw new Interruption([`Interrupted. What was said is the job ${jobId}: parlance export ${jobId} --wait`]);
    context.terminal.note(`The recording is the job ${jobId}: parlance export ${jobId} --wait`);
  } catch (error) {
    throw context.signal.aborted ? error : await withJob(error, session.id, context);
  } finally {
    partials.clear();
    session.close();
  }
}

/** The error of a session whose job has what was said until then. */
async function withJob(error: unknown, jobId: string, context: Context): Promise<CommandError> {
  const { message, exitCode } = failureOf(error, (await context.connection()).baseUrl);
  return new CommandError(`${message} The job ${jobId} has everything that was acknowledged: parlance export ${jobId} --wait`, exitCode);
}

/** Sends the audio until it ends, or Ctrl-C or the server ends the session. */
async function send(audio: AsyncIterable<Uint8Array>, session: LiveSession, signal: AbortSignal): Promise<void> {
  try {
    for await (const piece of piecesUntil(audio, Promise.race([session.finished, abortOf(signal)]))) await session.send(piece);
  } finally {
    if (signal.aborted) (audio as AsyncIterable<Uint8Array> & { destroy?: () => void }).destroy?.();
  }
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}

async function fileOf(path: string): Promise<AsyncIterable<Uint8Array>> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new CommandError(`The file does not exist: ${path}`);
  if (found.isFile() && found.size === 0) throw new CommandError(`The file is empty: ${path}`);
  return createReadStream(path);
}

/** One line of a terminal that shows what is being said. */
class PartialLine {
  #isShown = false;

  constructor(private readonly context: Context) {}

  show({ text }: LivePartial): void {
    const { terminal, streams } = this.context;
    if (!terminal.isInteractive) return;
    const columns = (streams.stderr.columns || 80) - 2;
    streams.stderr.write(`\r\u001B[K${terminal.styled('dim', printable(text).slice(-columns), 'stderr')}`);
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.context.streams.stderr.write('\r\u001B[K');
    this.#isShown = false;
  }
}

function parseRaw(value: string): Raw {
  const [, encoding, rate, channels = '1'] = /^(pcm_s16le|mulaw|alaw):(\d{4,6})(?::([12]))?$/.exec(value) ?? [];
  if (encoding === undefined) throw new InvalidArgumentError('Give encoding:rate:channels, such as pcm_s16le:16000:1. Encodings: pcm_s16le, mulaw, alaw.');
  return { encoding: encoding as Raw['encoding'], sample_rate: Number(rate), channels: Number(channels) };
}
