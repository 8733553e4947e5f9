// Prints the failed tests of a Jest report, with the beginning of each message: node .ci/failed-tests.mjs REPORT
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const MESSAGE_LINES = 12;
const beginning = (message) => stripVTControlCharacters(message).split('\n').slice(0, MESSAGE_LINES).join('\n');

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const { name, message, assertionResults } of testResults) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  for (const { fullName, failureMessages } of failed) console.log(`${name}\n  ${fullName}\n${beginning(failureMessages.join('\n'))}`);
  // A suite that could not begin, or failed outside of its tests.
  if (failed.length === 0 && message !== '') console.log(`${name}\n${beginning(message)}`);
}
