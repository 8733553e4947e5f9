import { fork } from 'node:child_process';
import { once } from 'node:events';
import { topicOf, TOPICS } from '@parlance/contracts';
import { prepareEventBus } from '@parlance/event-bus';
import { silentLogger } from '@parlance/platform';
import { deleteTopics, installationName, portSettings, realServers } from '@parlance/testing/cluster';
import { percent } from '../../table.mjs';

const EVENTS = { smoke: 2000, quick: 20_000, full: 100_000 };
const ROUNDS = { smoke: 1, quick: 3, full: 5 };
const TYPE = 'chunk.transcribed';
/** A topic with as many partitions that nothing else uses here: kafkajs alone writes records that the port would not accept. */
const RAW_TOPIC = 'parlance.media.v1';
if (TOPICS[RAW_TOPIC].partitions !== TOPICS[topicOf(TYPE)].partitions) throw new Error('the two topics are not alike');

/** Publishing and handling through the port, against kafkajs alone as durably, in turns: with the same bytes, and without headers. */
export async function kafkaBus(size) {
  const servers = realServers();
  const installation = installationName();
  const url = portSettings(servers, installation).EVENT_BUS_URL;
  await prepareEventBus(url, { log: silentLogger() });
  const alone = { brokers: servers.kafkaBrokers.split(','), topic: `${installation}.${RAW_TOPIC}` };
  const sides = [
    { name: 'kafkajs alone, same bytes', process: startSide('kafkajs-alone'), options: { ...alone, withHeaders: true }, rounds: [] },
    { name: 'kafkajs alone, no headers', process: startSide('kafkajs-alone'), options: { ...alone, withHeaders: false }, rounds: [] },
    { name: 'port', process: startSide('port'), options: { url, type: TYPE }, rounds: [] },
  ];
  try {
    for (let round = 0; round < ROUNDS[size]; round += 1) {
      for (const side of sides) side.rounds.push(await roundOf(side, EVENTS[size]));
    }
  } finally {
    for (const side of sides) side.process.kill();
    await deleteTopics(servers.kafkaBrokers, installation);
  }
  const port = sides.pop();
  return sides.map((side) => rowOf(port, side));
}

const startSide = (name) => fork(new URL('kafka-bus/sender.mjs', import.meta.url), [name]);

async function roundOf({ name, process, options }, count) {
  const ended = new AbortController();
  const failed = once(process, 'exit', { signal: ended.signal }).then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`)));
  failed.catch(() => {});
  process.send({ count, ...options });
  const [result] = await Promise.race([once(process, 'message', { signal: ended.signal }), failed]);
  ended.abort();
  return result;
}

function rowOf(port, { name, rounds }) {
  const of = (side, what) => median(side.map((round) => round[what]));
  const ratio = of(port.rounds, 'rate') / of(rounds, 'rate');
  const text = (side) => `${of(side, 'rate').toFixed(0)}/s, ${of(side, 'processor').toFixed(1)} µs of a core each`;
  return { name: 'Kafka bus, publish to handled', measured: text(port.rounds), baseline: `${name}: ${text(rounds)}`, ratio: percent(ratio), target: '≥ 70 %', met: ratio >= 0.7 };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
