import { runAdmin } from './run-admin.js';

const writeError = (text: string) => void process.stderr.write(text);

// A reader that has seen enough, such as head, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
// kafkajs sets timers in the past, and Node warns of it in three lines.
process.removeAllListeners('warning').on('warning', ({ name, message }) => name !== 'TimeoutNegativeWarning' && writeError(`${name}: ${message}\n`));

process.exitCode = await runAdmin(process.argv, { env: process.env, writeOut: (text) => void process.stdout.write(text), writeError });
