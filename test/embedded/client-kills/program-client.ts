import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { KilledClient, Outcome, Run } from './killed-client.js';
import { PHASE_NAMES, type PhaseName } from './phases.js';

/** A program that reads a run from its standard input, and prints how it ended, as JSON. */
function programClient(name: string, phases: readonly PhaseName[], command: readonly string[]): KilledClient {
  const [program = '', ...args] = command;
  const one = async (run: Run): Promise<Outcome> => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(JSON.stringify(run));
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    if (code !== 0) throw new Error(`${name} left with ${code} in ${run.phase}: ${output}`);
    return JSON.parse(output) as Outcome;
  };
  return { name, phases, run: (runs) => runs.map(one) };
}

const at = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** @param python an interpreter that has the client with live sessions */
export const pythonClients = (python: string): KilledClient[] => ['sync', 'async'].map((kind) => programClient(`Python, ${kind}`, PHASE_NAMES, [python, at('program.py'), kind]));

/** @param autoload the file that loads the classes of the client */
export const phpClients = (autoload: string): KilledClient[] => [programClient('PHP', PHASE_NAMES.filter((name) => name !== 'a live session'), ['php', at('program.php'), autoload])];
