import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { childEnvironment } from './child-environment.js';

/** `parlance-admin`, which needs the build. */
const ADMIN = fileURLToPath(new URL('../../../bundle/parlance-admin.js', import.meta.url));

/**
 * As an operator runs it.
 * @param settings those of the servers beside which it runs
 * @returns what it printed
 * @throws Error with what it said, when it failed
 */
export async function runAdmin(settings: Record<string, string>, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [ADMIN, ...args], { env: { ...childEnvironment(), ...settings } });
  return stdout;
}
