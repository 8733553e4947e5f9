import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import TestSequencer from '@jest/test-sequencer';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Of ten seconds and more, the slowest first. On a fresh clone Jest goes by the size of files, and the last one would run alone. */
const SLOWEST = [
  'libs/search-index/src/opensearch/opensearch-search-index.cluster.spec.ts',
  'libs/search-index/src/opensearch/index-migration.cluster.spec.ts',
  'libs/event-bus/src/kafka/kafka-broker-restart.cluster.spec.ts',
  'test/cluster/replicas.spec.ts',
  'test/embedded/kill.spec.ts',
  'test/embedded/start.spec.ts',
  'apps/standalone/src/admin/server-commands.cluster.spec.ts',
  'libs/event-bus/src/kafka/kafka-event-bus.cluster.spec.ts',
  'libs/storage/src/documents/mongo/mongo-failures.cluster.spec.ts',
  'libs/search-index/src/opensearch/opensearch-shards.cluster.spec.ts',
  'test/system/stand-in-decoder.spec.ts',
  'test/system/fixture-engine.spec.ts',
  'test/embedded/clients.spec.ts',
  'test/embedded/vendors.spec.ts',
  'test/embedded/client-kills.spec.ts',
  'apps/ingest/src/media/media-probe.spec.ts',
  'apps/ingest/src/media/media-pipeline.spec.ts',
  'apps/ingest/src/media/mutated-media.spec.ts',
  'test/system/one-recording.spec.ts',
  'test/system/media-faults.spec.ts',
  'test/system/webhooks.spec.ts',
  'libs/event-bus/src/kafka/kafka-killed.cluster.spec.ts',
  'test/embedded/full-disk.spec.ts',
  'libs/search-index/src/sqlite/sqlite-search-index.spec.ts',
  'libs/engines/src/contract/engines.spec.ts',
  'test/embedded/request-fuzz.spec.ts',
  'test/embedded/socket-fuzz.spec.ts',
  'test/system/free-minutes.spec.ts',
  'test/embedded/backup.spec.ts',
  'test/embedded/media-bombs.spec.ts',
  'apps/gateway/src/http/connections.spec.ts',
  'apps/gateway/src/http/bad-input.spec.ts',
  'libs/event-bus/src/kafka/kafka-secured.cluster.spec.ts',
  'libs/event-bus/src/kafka/kafka-acls.cluster.spec.ts',
  'libs/event-bus/src/kafka/kafka-groups.cluster.spec.ts',
  'libs/event-bus/src/kafka/kafka-failures.cluster.spec.ts',
  'test/system/five-second-chunks.spec.ts',
  'apps/ingest/test/ingest.spec.ts',
  'libs/engines/src/voice-activity/silero-voice-activity-detector.spec.ts',
  'apps/standalone/src/stopping.spec.ts',
].map((path) => join(root, path));

export default class SlowestFirst extends TestSequencer {
  constructor(options) {
    super(options);
    const gone = SLOWEST.filter((path) => !existsSync(path));
    if (gone.length > 0) throw new Error(`test/slowest-first.mjs names what is not there: ${gone.join(', ')}`);
  }

  sort(tests) {
    const place = ({ path }) => (SLOWEST.includes(path) ? SLOWEST.indexOf(path) : SLOWEST.length);
    // oxlint-disable-next-line unicorn/no-array-sort -- Jest's, not an array's
    return super.sort(tests).toSorted((one, other) => place(one) - place(other));
  }
}
