import { describe, expect, it } from '@jest/globals';
import { ConfigError, silentLogger } from '@parlance/platform';
import { runProcess } from '../run-process.js';
import { plainConnections } from './plain-connections.js';

const PLAIN: [string, string][] = [
  ['EVENT_BUS_URL', 'kafka://kafka:9092'],
  ['EVENT_BUS_URL', 'kafka://kafka:9092?ssl=false'],
  ['EVENT_BUS_URL', 'kafka://127.0.0.1:9092,kafka2:9092?sasl=plain&username=parlance'],
  ['DATABASE_URL', 'mongodb://mongo:27017/parlance'],
  ['DATABASE_URL', 'mongodb://parlance:p%40ss@mongo-0,mongo-1:27018/parlance?replicaSet=rs0&tls=false'],
  ['DATABASE_URL', 'mongodb://mongo/parlance?tls=true&TLS=false'],
  ['DATABASE_URL', 'mongodb+srv://mongo.example/parlance?ssl=false'],
  ['MEDIA_URL', 's3://bucket/prefix?endpoint=http://s3:9000&forcePathStyle=true'],
  ['AWS_ENDPOINT_URL_S3', 'http://s3:9000'],
  ['AWS_ENDPOINT_URL_KMS', 'http://kms:9000'],
  ['KEY_PROVIDER', 'aws-kms:alias/parlance?endpoint=http://kms:9000'],
  ['KEY_PROVIDER', 'vault-transit:http://vault:8200/transit/parlance?role=parlance'],
  ['SEARCH_URL', 'opensearch+http://user:secret@search:9200/parlance'],
  ['SPEECH_ENGINE_URL', 'openai+http://speech:8000/v1?model=whisper'],
  ['SPEECH_ENGINES', 'safe=openai+https://speech/v1, plain=openai+http://speech:8000/v1?model=whisper'],
  ['LANGUAGE_MODEL_URL', 'openai+HTTP://10.0.0.7/v1'],
  ['EMBEDDINGS_ENGINE_URL', 'openai+http://[fd00::7]:8000/v1'],
  ['SMTP_URL', 'smtp://mail:25'],
  ['SMTP_URL', 'smtp://user@mail:587?requireTLS=false'],
  ['SMTP_URL', 'smtp://user@mail:587?ignoreTLS=true'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ' http:collector/v1/traces'],
  ['EGRESS_PROXY', 'http://user:secret@proxy:3128'],
  ['INGEST_GRPC_URL', 'dns:///ingest:50051'],
  ['SEARCH_GRPC_URL', 'ipv4:127.0.0.1:50051,10.0.0.8:50051'],
  ['SUMMARY_GRPC_URL', 'summary:50051'],
  ['MEDIA_DECODER_URL', 'dns:///media-decoder:50051'],
  ['MEDIA_DECODER_URL', 'ipv4:10.0.0.8:50051'],
  ['MEDIA_DECODER_URL', 'ipv6:[fd00::8]:50051'],
  ['HOST', '0.0.0.0'],
  ['HOST', '::'],
];

const FINE: [string, string][] = [
  ['EVENT_BUS_URL', 'kafka://kafka:9093?ssl=true'],
  ['EVENT_BUS_URL', 'kafka://127.0.0.1:9092,[::1]:9092'],
  ['EVENT_BUS_URL', 'sqlite:/data/events.db'],
  ['DATABASE_URL', 'mongodb://user@mongo/parlance?tls=true'],
  ['DATABASE_URL', 'mongodb://localhost:27017/parlance'],
  ['DATABASE_URL', 'mongodb://%2Frun%2Fmongodb-27017.sock/parlance'],
  ['DATABASE_URL', 'mongodb+srv://mongo.example/parlance'],
  ['MEDIA_URL', 's3://bucket/prefix?region=eu-central-1'],
  ['MEDIA_URL', 's3://bucket?endpoint=https://s3.example'],
  ['MEDIA_URL', 's3://bucket?endpoint=http://127.0.0.1:9000'],
  ['MEDIA_URL', 'file:/data/media'],
  ['KEY_PROVIDER', 'aws-kms:alias/parlance?region=eu-central-1'],
  ['KEY_PROVIDER', 'gcp-kms:projects/p/locations/l/keyRings/r/cryptoKeys/k'],
  ['KEY_PROVIDER', 'azure-kv:https://example.vault.azure.net/keys/parlance'],
  ['KEY_PROVIDER', 'vault-transit:http://127.0.0.1:8200/transit/parlance'],
  ['KEY_PROVIDER', 'vault-transit:https://vault:8200/transit/parlance'],
  ['KEY_PROVIDER', 'local:/data/master-keys'],
  ['SEARCH_URL', 'opensearch+https://user@search/parlance'],
  ['SPEECH_ENGINE_URL', 'openai+https://speech/v1'],
  ['SPEECH_ENGINES', 'safe=openai+https://speech/v1 near=openai+http://127.0.0.1:8000/v1,offline=pocketsphinx:'],
  ['SPEECH_ENGINE_URL', 'openai+http://[::1]:8000/v1'],
  ['SPEECH_ENGINE_URL', 'pocketsphinx:'],
  ['LANGUAGE_MODEL_URL', 'built-in:'],
  ['SMTP_URL', 'smtps://mail'],
  ['SMTP_URL', 'smtp://user@mail:587'],
  ['SMTP_URL', 'smtp://mail:587?requireTLS=true'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://collector:4318'],
  ['INGEST_GRPC_URL', 'unix:/data/run/ingest.sock'],
  ['INGEST_GRPC_URL', 'localhost:50051'],
  ['MEDIA_DECODER_URL', 'local:'],
  ['MEDIA_DECODER_URL', 'ipv4:127.0.0.1:50051'],
  ['HOST', '127.0.0.1'],
];

describe('REQUIRE_TLS', () => {
  it.each(PLAIN)('refuses %s=%s with one line that holds no secret', (name, value) => {
    const lines = plainConnections({ [name]: value }, []);
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^${name}: not encrypted \\(.+\\), and REQUIRE_TLS is true; .+$`))]);
    expect(lines[0]).not.toMatch(/secret|p%40ss|127\.0\.0\.1/);
  });

  it.each(FINE)('accepts %s=%s', (name, value) => {
    expect(plainConnections({ [name]: value }, [])).toEqual([]);
  });

  it('accepts gRPC with certificates, on the loopback and over sockets, and a traced process that keeps no traces', () => {
    const remote = { INGEST_GRPC_URL: 'dns:///ingest:50051' };
    expect(plainConnections(remote, ['0.0.0.0:50051'])).toEqual([expect.stringContaining('GRPC_LISTEN: '), expect.stringContaining('INGEST_GRPC_URL: ')]);
    expect(plainConnections({ ...remote, MEDIA_DECODER_URL: 'dns:///media-decoder:50051', GRPC_TLS_CERT: 'pem' }, ['0.0.0.0:50051'])).toEqual([]);
    expect(plainConnections({}, ['127.0.0.1:50051', '[::1]:50051', 'unix:/data/run/ingest.sock'])).toEqual([]);
    expect(plainConnections({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_SDK_DISABLED: 'true' }, [])).toEqual([]);
  });

  it('accepts a gateway for other machines with a certificate, or with the word that an ingress terminates TLS', () => {
    const host = { HOST: '0.0.0.0' };
    expect(plainConnections({ ...host, HTTPS_CERT_FILE: '/tls.crt' }, [])).toEqual([]);
    expect(plainConnections({ ...host, HSTS_MAX_AGE_SECONDS: 31_536_000 }, [])).toEqual([]);
    expect(plainConnections({ ...host, HSTS_MAX_AGE_SECONDS: 0 }, [])).toHaveLength(1);
    expect(plainConnections({ ...host, TRUSTED_PROXIES: ['10.0.0.0/8'] }, [])).toHaveLength(1);
  });

  it('ends the start of a process with every line at once', async () => {
    const env = { EVENT_BUS_URL: 'kafka://kafka:9092', DATABASE_URL: 'mongodb://mongo/parlance', MEDIA_URL: 's3://bucket', AWS_ENDPOINT_URL: 'http://s3:9000', INGEST_GRPC_URL: 'ingest:50051' };
    const start = runProcess([], { env: { ...env, REQUIRE_TLS: 'true' }, log: silentLogger() });
    const error = await start.then(() => undefined, (reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).problems.map((problem) => problem.split(':')[0])).toEqual(['EVENT_BUS_URL', 'DATABASE_URL', 'AWS_ENDPOINT_URL', 'INGEST_GRPC_URL']);
  });
});
