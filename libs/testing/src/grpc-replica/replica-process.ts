import { TestProcess } from './replica.js';

// A replica that a test can kill. It says `ready`, and `held <subject>` when it got a call that it never answers.
const [number, listen = ''] = process.argv.slice(2);
await TestProcess.replica({
  number: Number(number),
  listen,
  behaviour: (subject) => {
    if (subject !== `hold ${number}`) return undefined;
    process.stdout.write('held\n');
    return new Promise(() => undefined);
  },
});
process.stdout.write('ready\n');
