import { join } from 'node:path';
import type { ExportFormat, Parlance } from '@parlance/client';
import type { Command } from 'commander';
import type { Context } from '../context.js';
import { usageError } from '../failures.js';
import { isText, parseFormats } from '../transcribe/formats.js';
import { safeName, stemOf } from '../transcribe/output-names.js';
import { exported } from '../transcribe/transcribe-input.js';
import { withWaiting } from '../transcribe/wait-for-jobs.js';
import { writeWhole } from '../transcribe/write-file.js';

interface Options {
  format: ExportFormat[];
  output?: string;
  wait?: boolean;
}

/** Adds `parlance export`. */
export function addExport(program: Command, context: Context): void {
  program
    .command('export')
    .description('print or write the transcripts of jobs')
    .argument('<job...>', 'ids of jobs')
    .option('-f, --format <names>', 'formats, separated by commas: txt, srt, vtt, json, md, docx, pdf, ttml, ass, stl, chapters.vtt', parseFormats, ['txt' as const])
    .option('-o, --output <folder>', 'write into this folder')
    .option('--wait', 'wait until the jobs have ended')
    .action(async (jobIds: string[], options: Options) => {
      requireOutput(jobIds, options, context);
      const client = await context.client();
      const write = (jobId: string) => exportOne(jobId, options, client, context);
      if (options.wait) process.exitCode = await withWaiting(jobIds, client, context, write);
      else for (const jobId of jobIds) await write(jobId);
    });
}

function requireOutput(jobIds: readonly string[], { format, output }: Options, { streams }: Context): void {
  if (output !== undefined) return;
  if (jobIds.length * format.length > 1) throw usageError('Several documents need a folder: -o DIR.');
  if (format.some((name) => !isText(name)) && streams.stdout.isTTY) throw usageError(`${format.join(', ')} is not text: give a folder with -o DIR, or redirect the standard output.`);
}

async function exportOne(jobId: string, { format: formats, output }: Options, client: Parlance, context: Context): Promise<void> {
  const documents = await exported(client, jobId, formats, context.signal);
  if (output === undefined) {
    for (const { content } of documents) context.terminal.write(typeof content === 'string' && !content.endsWith('\n') ? `${content}\n` : content);
    return;
  }
  const { file_name: fileName } = await client.transcriptions.get(jobId, {}, { signal: context.signal });
  const stem = fileName === undefined ? jobId : `${stemOf(safeName(fileName))}.${jobId}`;
  for (const { format, content } of documents) {
    const path = join(output, `${stem}.${format}`);
    await writeWhole(path, content);
    context.terminal.print(path);
  }
}
