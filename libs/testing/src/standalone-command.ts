import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childEnvironment, START_FLAGS } from './child-environment.js';

/** What `npm start` runs after its set-up. */
export const STANDALONE = fileURLToPath(new URL('../../../bundle/standalone.js', import.meta.url));

interface CommandEnd {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the product with these arguments until it leaves by itself. @param env all it gets beside PATH and HOME */
export async function runStandalone(args: string[], env: Record<string, string>): Promise<CommandEnd> {
  const child = spawn(process.execPath, [...START_FLAGS, STANDALONE, ...args], {
    env: { ...childEnvironment(), PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) child[stream].setEncoding('utf8').on('data', (text: string) => (end[stream] += text));
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  return { code, ...end };
}
