import type { Command } from 'commander';
import type { Context } from '../context.js';
import { printable } from '../terminal.js';
import { diagnose, type Finding } from '../doctor/diagnose.js';

const MARKS = { ok: ['ok  ', 'green'], warning: ['warn', 'yellow'], failed: ['FAIL', 'red'] } as const;

/** Adds `parlance doctor`. */
export function addDoctor(program: Command, context: Context): void {
  program
    .command('doctor')
    .description('check the server, the key, the versions, the clock and the speech models, and say what to do')
    .action(async () => {
      const findings: Finding[] = [];
      for await (const finding of diagnose(context)) {
        findings.push(finding);
        if (context.terminal.isJson) context.terminal.printJson(finding);
        else context.terminal.print(lineOf(finding, context));
      }
      process.exitCode = findings.find(({ state }) => state === 'failed')?.exitCode;
    });
}

function lineOf({ state, name, detail, advice }: Finding, { terminal }: Context): string {
  const [mark, color] = MARKS[state];
  return `${terminal.styled(color, mark)}  ${name}: ${printable(detail)}${advice ? `\n      ${advice}` : ''}`;
}
