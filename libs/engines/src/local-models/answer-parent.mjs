// For the programs of SherpaProcess: plain JavaScript, so that they run as they are from src/ and from dist/.
import { writeSync } from 'node:fs';

/** Answers each message of the parent with what `answer` gives or, as `{ error }`, throws; the mark on standard error says where its log ends. */
export function answerParent(answer) {
  process.on('message', (message) => {
    let reply;
    try {
      reply = answer(message);
    } catch (error) {
      reply = { error: String(error?.message ?? error) };
    }
    writeSync(2, '\u0004\n');
    process.send(reply);
  });
  // Ctrl-C reaches this process as well as its parent, but work in progress ends first.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
}
