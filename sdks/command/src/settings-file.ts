import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandError } from './failures.js';

/** Values that `parlance login` stores. */
export interface StoredSettings {
  base_url?: string;
  api_key?: string;
}

/** The path of the settings by the XDG Base Directory Specification. */
export function settingsPath(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'parlance', 'config.json');
}

/** @throws CommandError when the file is not one of `parlance login` */
export async function readSettings(path: string): Promise<StoredSettings> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as StoredSettings;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    if (error instanceof SyntaxError) throw new CommandError(`${path} is not valid JSON. Run \`parlance login\` again, or remove the file.`);
    throw error;
  }
}

/** Writes the settings so that only their owner can read them. */
export async function writeSettings(path: string, settings: StoredSettings): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, `${JSON.stringify(settings, undefined, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
}

/** True when others than the owner can read the file. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  try {
    return ((await stat(path)).mode & 0o077) !== 0;
  } catch {
    return false;
  }
}
