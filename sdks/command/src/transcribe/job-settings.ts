import { readFile } from 'node:fs/promises';
import type { NewTranscription } from '@parlance/client';
import { InvalidArgumentError, type Command } from 'commander';

export type JobSettings = Pick<NewTranscription, 'language' | 'model' | 'diarization' | 'vocabulary' | 'title' | 'metadata'>;

/** Options of commands that create jobs. */
export interface JobOptions {
  language?: string;
  model?: string;
  speakers?: JobSettings['diarization'];
  vocabulary?: string[];
  title?: string;
  metadata?: Record<string, string>;
}

/** Adds the options of a job to a command. */
export function withJobOptions(command: Command): Command {
  return command
    .option('-l, --language <tag>', 'language of the speech, such as en or pt-BR; by default it is detected where the model can')
    .option('-m, --model <name>', 'speech model of the server')
    .option('-s, --speakers <number>', 'how many speakers to tell apart: a number, a range such as 2-4, or auto', parseSpeakers)
    .option('--vocabulary <terms>', 'words to expect, separated by commas, or @file with one in each line; may be repeated', collect)
    .option('--title <text>', 'title of the recording')
    .option('--metadata <name=value>', 'stored with the job; may be repeated', collectPairs);
}

/** @throws Error when a file of words cannot be read */
export async function jobSettingsOf(options: JobOptions): Promise<JobSettings> {
  const { language, model, speakers, vocabulary, title, metadata } = options;
  return {
    ...(language && { language }),
    ...(model && { model }),
    ...(speakers !== undefined && { diarization: speakers }),
    ...(vocabulary && { vocabulary: await termsOf(vocabulary) }),
    ...(title && { title }),
    ...(metadata && { metadata }),
  };
}

async function termsOf(values: readonly string[]): Promise<string[]> {
  const terms: string[] = [];
  for (const value of values) {
    if (value.startsWith('@')) terms.push(...(await readFile(value.slice(1), 'utf8')).split(/\r?\n/));
    else terms.push(...value.split(','));
  }
  return [...new Set(terms.map((term) => term.trim()).filter(Boolean))];
}

/** Reads `auto`, `2` and `2-4`. */
export function parseSpeakers(value: string): NonNullable<JobSettings['diarization']> {
  if (value === 'auto') return true;
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(value) ?? [];
  if (from === undefined || Number(from) < 1 || Number(to) < Number(from)) throw new InvalidArgumentError('Give a number of speakers such as 2, a range such as 2-4, or auto.');
  return { min_speakers: Number(from), max_speakers: Number(to) };
}

const collect = (value: string, earlier: string[] = []) => [...earlier, value];

function collectPairs(value: string, earlier: Record<string, string> = {}): Record<string, string> {
  const at = value.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Give a name and a value: --metadata project=apollo.');
  return { ...earlier, [value.slice(0, at)]: value.slice(at + 1) };
}

/** Reads a number of at least 1. */
export function parseCount(value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new InvalidArgumentError('Give a whole number of at least 1.');
  return Number(value);
}
