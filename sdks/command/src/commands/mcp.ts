import type { Command } from 'commander';
import type { Context } from '../context.js';
import { packageVersion } from '../package-version.js';

interface Options {
  folder?: string[];
  readOnly?: boolean;
}

/** Adds `parlance mcp`. */
export function addMcp(program: Command, context: Context): void {
  program
    .command('mcp')
    .description('serve recordings to an assistant, by the Model Context Protocol over stdin and stdout')
    .option('--folder <dir>', 'let it transcribe files in this folder only; repeatable', (folder: string, folders: string[] = []) => [...folders, folder])
    .option('--read-only', 'let it transcribe nothing')
    .action(async ({ folder, readOnly }: Options) => {
      const client = await context.client();
      // The SDK takes a tenth of a second to load, which no other command needs.
      const { serveMcp } = await import('../mcp/serve-mcp.js');
      await serveMcp(client, { version: packageVersion(), ...(folder && { folders: folder }), readOnly: readOnly ?? false });
    });
}
