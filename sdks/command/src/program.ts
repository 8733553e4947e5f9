import { Command } from 'commander';
import { addAsk } from './commands/ask.js';
import { addCancel } from './commands/cancel.js';
import { addCompletion } from './commands/completion.js';
import { addDoctor } from './commands/doctor.js';
import { addExport } from './commands/export.js';
import { addGet } from './commands/get.js';
import { addList } from './commands/list.js';
import { addLive } from './commands/live.js';
import { addLogin } from './commands/login.js';
import { addMcp } from './commands/mcp.js';
import { addSearch } from './commands/search.js';
import { addSpeakers } from './commands/speakers.js';
import { addTranscribe } from './commands/transcribe.js';
import { addUsage } from './commands/usage.js';
import { addWebhooks } from './commands/webhooks.js';
import type { Context, GlobalOptions } from './context.js';
import { packageVersion } from './package-version.js';

/** In the order of the help. */
const COMMANDS = [addTranscribe, addLive, addList, addGet, addExport, addCancel, addSearch, addAsk, addSpeakers, addWebhooks, addMcp, addUsage, addLogin, addDoctor, addCompletion];

const AFTER_HELP = `
Exit codes: 0 ok, 1 failure, 2 wrong usage, 3 some inputs failed, 4 wrong or missing key, 5 rate limit or quota, 130 interrupted.
The server and the key are those of \`parlance login\`, or PARLANCE_BASE_URL and PARLANCE_API_KEY.`;

/** The command line with all of its commands. */
export function createProgram(context: Context): Command {
  const program = new Command('parlance')
    .description('Transcribes recordings and live audio with a Parlance server, and searches in what was said.')
    .version(packageVersion())
    .option('--json', 'print JSON: one value per line')
    .option('-q, --quiet', 'print no progress and no notes')
    .option('--base-url <url>', 'address of the server')
    .addHelpText('after', AFTER_HELP)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .hook('preAction', (_, command) => {
      context.options = command.optsWithGlobals<GlobalOptions>();
    });
  for (const add of COMMANDS) add(program, context);
  return program;
}
