import type { Transcription } from '@parlance/client';
import type { Command } from 'commander';
import type { Context } from '../context.js';
import { withWaiting } from '../transcribe/wait-for-jobs.js';

/** Adds `parlance get`. */
export function addGet(program: Command, context: Context): void {
  program
    .command('get')
    .description('show a job')
    .argument('<job>', 'id of the job')
    .option('--wait', 'wait until the job has ended')
    .action(async (jobId: string, { wait }: { wait?: boolean }) => {
      const client = await context.client();
      if (wait) process.exitCode = await withWaiting([jobId], client, context, async () => undefined);
      const job = await client.transcriptions.get(jobId, {}, { signal: context.signal });
      if (context.terminal.isJson) context.terminal.printJson(job);
      else context.terminal.table(linesOf(job));
    });
}

function linesOf(job: Transcription): string[][] {
  const lines: [string, string | undefined][] = [
    ['job', job.job_id],
    ['status', `${job.status}${job.status === 'processing' ? ` (${job.progress.stage}, ${Math.floor(job.progress.percent)} %)` : ''}`],
    ['error', job.error && `${job.error.code}: ${job.error.message}`],
    ['recording', job.title ?? job.file_name ?? job.audio_url],
    ['duration', job.transcript && `${job.transcript.duration.toFixed(1)} s`],
    ['language', job.language.transcript ?? job.language.requested],
    ['model', job.model],
    ['created', job.created_at],
    ['completed', job.completed_at],
    ['speakers', job.transcript?.speakers.map(({ speaker_id: id, name }) => (id === name ? id : `${id} ${name}`)).join(', ')],
    ['text', job.transcript?.text],
  ];
  return lines.flatMap(([name, value]) => (value ? [[name, value]] : []));
}
