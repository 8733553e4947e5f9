// Says which words are first names in English, then ends: loading the lexicon of compromise takes a fifth of a second at once,
// too long for a thread that answers requests. Plain JavaScript, so that a worker can load it as it is from src/ and from dist/.
import { parentPort, workerData } from 'node:worker_threads';
import nlp from 'compromise/two';

parentPort.postMessage(workerData.filter((word) => nlp(word).has('#FirstName')));
