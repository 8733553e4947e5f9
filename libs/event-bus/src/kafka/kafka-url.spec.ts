import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseKafkaUrl } from './kafka-url.js';

describe('a Kafka URL', () => {
  it('names brokers, with the port that is usual', () => {
    const { brokers, topicPrefix, ssl, sasl } = parseKafkaUrl('kafka://one:1234,two,[::1]:9');
    expect({ brokers, topicPrefix, ssl, sasl }).toEqual({ brokers: ['one:1234', 'two:9092', '[::1]:9'], topicPrefix: '', ssl: undefined, sasl: undefined });
  });

  it('says how to be let in', () => {
    const url = 'kafka://one?ssl=true&sasl=scram-sha-512&username=par%26lance&topic-prefix=eu.';
    expect(parseKafkaUrl(url, 'pa:ss')).toMatchObject({
      ssl: {},
      sasl: { mechanism: 'scram-sha-512', username: 'par&lance', password: 'pa:ss' },
      topicPrefix: 'eu.',
    });
  });

  it('may name the files of certificates', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-kafka-'));
    const path = join(folder, 'ca.pem');
    await writeFile(path, 'a certificate');
    expect(parseKafkaUrl(`kafka://one?ssl=true&ssl-ca=${encodeURIComponent(path)}`).ssl).toEqual({ ca: Buffer.from('a certificate') });
    await rm(folder, { recursive: true });
  });

  it.each([
    ['kafka://', /must be like kafka/],
    ['kafka:one:9092', /must be like kafka/],
    ['kafka://one:99999', /"one:99999" is not host:port/],
    ['kafka://one,,two', /"" is not host:port/],
    ['kafka://user:secret@one', /password in KAFKA_PASSWORD/],
    ['kafka://one?tls=true', /unknown parameter tls/],
    ['kafka://one?ssl=yes', /ssl: must be true or false/],
    ['kafka://one?ssl-ca=/no/such/file&ssl=true', /ssl-ca: cannot read \/no\/such\/file \(ENOENT\)/],
    ['kafka://one?sasl=gssapi&username=me', /sasl: must be one of plain, scram-sha-256, scram-sha-512/],
    ['kafka://one?sasl=plain', /sasl: needs username/],
    ['kafka://one?username=me', /username: needs sasl/],
    ['kafka://one?topic-prefix=a/b', /topic-prefix/],
    ['kafka://one?session-timeout-ms=1000&heartbeat-interval-ms=500', /at most a third/],
    ['kafka://one?ssl=true&ssl=false', /ssl is given more than once/],
  ])('is refused when it is %s', (url, problem) => {
    expect(() => parseKafkaUrl(url, 'secret')).toThrow(problem);
  });

  it('is refused without the password it needs, and never shows one', () => {
    expect(() => parseKafkaUrl('kafka://one?sasl=plain&username=me')).toThrow(/(?<!: )KAFKA_PASSWORD: is required/);
    expect(() => parseKafkaUrl('kafka://me:hunter2@one')).not.toThrow(/hunter2/);
  });
});
