import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '@parlance/testing';
import { runAdmin } from '../src/admin/run-admin.js';

const MAIN = fileURLToPath(new URL('../../../bundle/parlance-admin.js', import.meta.url));

interface AdminEnd {
  code: number;
  stdout: string;
  stderr: string;
}

/** `parlance-admin` beside the servers, as a program of its own: what only that shows. Needs the build. */
export const adminProgram = (args: readonly string[], env: Record<string, string>): Promise<AdminEnd> =>
  new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env: { ...childEnvironment(), ...env } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

/** The same without the half second that each program takes to start. */
export async function admin(args: readonly string[], env: Record<string, string>): Promise<AdminEnd> {
  const end: AdminEnd = { code: 0, stdout: '', stderr: '' };
  const writeOut = (text: string) => void (end.stdout += text);
  const writeError = (text: string) => void (end.stderr += text);
  end.code = await runAdmin(['node', 'parlance-admin', ...args], { env, writeOut, writeError });
  return end;
}
