import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Parlance } from '@parlance/client';
import type { Command } from 'commander';
import { normalUrl, type Context } from '../context.js';
import { usageError } from '../failures.js';
import { readSettings, writeSettings } from '../settings-file.js';

const DEFAULT_BASE_URL = 'http://127.0.0.1:3000';

/** Adds `parlance login`. */
export function addLogin(program: Command, context: Context): void {
  program
    .command('login')
    .description('store the address and the key of a server for this user')
    .addHelpText('after', '\nThe key is read from the terminal or from the standard input: parlance login --base-url https://parlance.example.org < key-file')
    .action(async () => {
      const stored = await readSettings(context.settingsPath);
      const chosen = context.options.baseUrl ?? context.env['PARLANCE_BASE_URL'];
      const { stdin } = context.streams;
      const suggestion = chosen ?? stored.base_url ?? DEFAULT_BASE_URL;
      const baseUrl = normalUrl(chosen === undefined && stdin.isTTY ? await ask(`Address of the server [${suggestion}]: `, context) || suggestion : suggestion);
      const apiKey = stdin.isTTY ? await ask('API key (not shown): ', context, true) : await all(stdin);
      if (!apiKey) throw usageError('No key was given. `npm start` writes the first key of a server to data/api-key.');
      // Failures name this server.
      context.options = { ...context.options, baseUrl };
      // A wrong key is an error now, not at the first use.
      await new Parlance({ baseUrl, apiKey }).request({ method: 'GET', path: '' }, { signal: context.signal });
      await writeSettings(context.settingsPath, { base_url: baseUrl, api_key: apiKey });
      context.terminal.note(`The key for ${baseUrl} is stored in ${context.settingsPath}.`);
    });
}

async function ask(question: string, { streams: { stdin, stderr }, signal }: Context, isSecret = false): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: isSecret ? silent : stderr, terminal: true });
  // In this mode the interface receives Ctrl-C in place of the process.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  if (isSecret) stderr.write(question);
  try {
    return (await terminal.question(isSecret ? '' : question, { signal })).trim();
  } finally {
    terminal.close();
    if (isSecret) stderr.write('\n');
  }
}

async function all(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8').trim();
}
