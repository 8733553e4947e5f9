import type { Command } from 'commander';
import type { Context } from '../context.js';
import { clockTime } from '../times.js';

/** Adds `parlance speakers`. */
export function addSpeakers(program: Command, context: Context): void {
  const speakers = program.command('speakers').description('list and rename the speakers of a job');
  speakers
    .command('list')
    .description('list the speakers of a job, with the time for which they speak')
    .argument('<job>', 'id of the job')
    .action(async (jobId: string) => {
      const client = await context.client();
      const rows: string[][] = [];
      for await (const speaker of client.speakers.list(jobId, { signal: context.signal })) {
        if (context.terminal.isJson) context.terminal.printJson(speaker);
        rows.push([speaker.speaker_id, clockTime(speaker.talk_time), speaker.name]);
      }
      if (!context.terminal.isJson) context.terminal.table(rows);
    });
  speakers
    .command('rename')
    .description('name a speaker in the transcript, in captions and in search')
    .argument('<job>', 'id of the job')
    .argument('<speaker>', 'id of the speaker, such as S1')
    .argument('<name>', 'new name')
    .action(async (jobId: string, speakerId: string, name: string) => {
      const client = await context.client();
      const speaker = await client.speakers.rename(jobId, speakerId, name, { signal: context.signal });
      if (context.terminal.isJson) context.terminal.printJson(speaker);
      else context.terminal.table([[speaker.speaker_id, speaker.name]]);
    });
}
