import { randomInt } from 'node:crypto';

/** Where the tests' servers are, from the environment: `eval "export $(…/servers/kafka start)"` and so on. */
export interface RealServers {
  kafkaBrokers: string;
  mongoUri: string;
  openSearchUrl: string;
  s3: { endpoint: string; bucket: string; accessKeyId: string; secretAccessKey: string };
}

/** @throws Error naming what is not set */
export function realServers(env: Record<string, string | undefined> = process.env): RealServers {
  const setting = (name: string): string => {
    const value = env[name];
    if (!value) throw new Error(`${name} is not set: the cluster shape needs Kafka, MongoDB, S3 and OpenSearch`);
    return value;
  };
  return {
    kafkaBrokers: setting('KAFKA_BROKERS'),
    mongoUri: setting('MONGODB_URI'),
    openSearchUrl: setting('OPENSEARCH_URL'),
    s3: {
      endpoint: setting('S3_ENDPOINT'),
      bucket: setting('S3_BUCKET'),
      accessKeyId: setting('S3_ACCESS_KEY_ID'),
      secretAccessKey: setting('S3_SECRET_ACCESS_KEY'),
    },
  };
}

/** A name that nothing on the servers begins with. */
export const installationName = (): string => `sys${Date.now().toString(36)}${randomInt(36 ** 4).toString(36)}`;

/** Topics, databases, objects and search indices of one installation, beside those of others on the same servers. */
export function portSettings(servers: RealServers, installation: string): Record<string, string> {
  const { kafkaBrokers, mongoUri, openSearchUrl, s3 } = servers;
  const mongo = new URL(mongoUri);
  mongo.pathname = `/${installation}`;
  const options = new URLSearchParams({ endpoint: s3.endpoint, region: 'us-east-1', forcePathStyle: 'true' });
  return {
    EVENT_BUS_URL: `kafka://${kafkaBrokers}?topic-prefix=${installation}.`,
    DATABASE_URL: mongo.href,
    MEDIA_URL: `s3://${s3.bucket}/${installation}?${options}`,
    SEARCH_URL: `opensearch+${openSearchUrl}/${installation}?createIndex=true&replicas=0`,
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
}
