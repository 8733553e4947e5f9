import { Command } from 'commander';
import { deadLettersCommand, type DeadLettersTools } from './dead-letters-command.js';

/** `parlance-admin`: what operators do beside the running servers. */
export function adminCommand(tools: DeadLettersTools): Command {
  const program = new Command('parlance-admin')
    .description("Looks after a Parlance installation, beside the running servers.\nUses the servers' settings: PARLANCE_DATA, EVENT_BUS_URL.")
    .addCommand(deadLettersCommand(tools))
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 not found.');
  // Subcommands made apart do not inherit it.
  for (const command of everyCommand(program)) command.exitOverride().showHelpAfterError('(--help says how)');
  return program;
}

const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap((child) => everyCommand(child))];
