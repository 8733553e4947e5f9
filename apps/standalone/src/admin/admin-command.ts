import { Command, type OutputConfiguration } from 'commander';
import { accountsCommand } from './accounts-command.js';
import type { AdminTools } from './admin-tools.js';
import { auditCommand } from './audit-command.js';
import { backupCommand } from './backup-command.js';
import { deadLettersCommand } from './dead-letters-command.js';
import { encryptionCommand } from './encryption-command.js';
import { erasuresCommand } from './erasures-command.js';
import { holdsCommand } from './holds-command.js';
import { indexesCommand } from './indexes-command.js';
import { jobsCommand } from './jobs-command.js';
import { keysCommand } from './keys-command.js';
import { ledgerCommand } from './ledger-command.js';
import { modelsCommand } from './models-command.js';
import { plansCommand } from './plans-command.js';
import { refusedCommand } from './refused-command.js';
import { searchCommand } from './search-command.js';
import { tasksCommand } from './tasks-command.js';
import { topicsCommand } from './topics-command.js';
import { webhooksCommand } from './webhooks-command.js';

/** In the order of the help. */
const COMMANDS: readonly ((tools: AdminTools) => Command)[] = [accountsCommand, keysCommand, plansCommand, ledgerCommand, auditCommand, jobsCommand, webhooksCommand, deadLettersCommand, tasksCommand, refusedCommand, topicsCommand, indexesCommand, searchCommand, modelsCommand, backupCommand, encryptionCommand, erasuresCommand, holdsCommand];

/**
 * `parlance-admin`: what operators do beside the running servers.
 * @param output where help and wrong usage are said; default: as commander does, by this process
 */
export function adminCommand(tools: AdminTools, output: OutputConfiguration = {}): Command {
  const program = new Command('parlance-admin')
    .description("Manages a Parlance installation while its servers run.\nUses the servers' settings: PARLANCE_DATA, EVENT_BUS_URL, DATABASE_URL and so on.")
    .addHelpText('after', '\nExit codes: 0 success, 1 failure, 2 invalid usage or settings, 3 not found.');
  for (const command of COMMANDS) program.addCommand(command(tools));
  // Subcommands made apart do not inherit it.
  for (const command of everyCommand(program)) command.exitOverride().showHelpAfterError('(--help shows the usage)').configureOutput(output);
  return program;
}

const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap((child) => everyCommand(child))];
