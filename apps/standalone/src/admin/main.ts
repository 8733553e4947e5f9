import { adminCommand } from './admin-command.js';
import { AdminFailure } from './admin-failure.js';
import { withEventBus } from './with-event-bus.js';

const print = (text: string) => void process.stdout.write(`${text}\n`);

try {
  await adminCommand({ print, withEventBus: (work) => withEventBus(process.env, work) }).parseAsync(process.argv);
} catch (thrown) {
  const failure = AdminFailure.from(thrown);
  if (failure.message !== '') process.stderr.write(`${failure.message}\n`);
  process.exitCode = failure.exitCode;
}
