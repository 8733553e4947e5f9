import { z } from 'zod';
import type { Transcription } from '../client.js';
import { JOB_ID } from '../fields.js';
import { RECORDING, recordingLine, recordingOf } from '../recordings.js';
import type { Tool } from '../tool.js';
import { waited } from '../wait.js';

const INPUT = {
  job_id: JOB_ID,
  wait_seconds: z.int().min(0).max(3600).default(0).describe('Seconds to wait for the end of the work.'),
};

const OUTPUT = {
  ...RECORDING,
  stages: z.record(z.string(), z.string()).describe('The state of each stage, such as transcription and summary.'),
  speakers: z.array(z.string()),
  warnings: z.array(z.string()),
  has_transcript: z.boolean().describe('true: read_transcript works.'),
};

export const getRecording: Tool<typeof INPUT, typeof OUTPUT> = {
  name: 'get_recording',
  title: 'Get the state of a recording',
  description: 'Returns state, progress, stages, speakers, warnings and error of a recording. With wait_seconds it waits for the end of the work.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: INPUT,
  output: OUTPUT,
  run: async ({ job_id, wait_seconds: seconds }, { client, signal, report }) => {
    const job = await waited(client, job_id, seconds, { signal, report: ({ progress }) => report(progress.percent, stageOf(progress.stage)) });
    const recording = recordingOf(job);
    const warnings = job.warnings.map(({ code, message }) => `${code}: ${message}`);
    const speakers = job.transcript?.speakers.map(({ name }) => name) ?? [];
    const data = { ...recording, stages: statesOf(job), speakers, warnings, has_transcript: job.transcript !== undefined };
    const lines = [recordingLine(recording), `Stages: ${Object.entries(data.stages).map((each) => each.join(' ')).join(', ')}`];
    if (speakers.length > 0) lines.push(`Speakers: ${speakers.join(', ')}`);
    return { data, text: [...lines, ...warnings.map((warning) => `Warning: ${warning}`)].join('\n') };
  },
};

const statesOf = ({ stages }: Transcription): Record<string, string> => Object.fromEntries(Object.entries(stages).map(([name, { status }]) => [name, status]));

const stageOf = (stage: string | undefined) => stage ?? 'waiting';
