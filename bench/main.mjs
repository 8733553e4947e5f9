// Runs the measures one after the other, so that none disturbs another, and prints their table.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { acceptedJobs } from './measures/accepted-jobs.mjs';
import { api } from './measures/api.mjs';
import { clusterAcceptedJobs } from './measures/cluster/cluster-accepted-jobs.mjs';
import { kafkaBus } from './measures/cluster/kafka-bus.mjs';
import { scaling } from './measures/cluster/scaling.mjs';
import { takeover } from './measures/cluster/takeover.mjs';
import { channels } from './measures/channels.mjs';
import { diarization } from './measures/diarization.mjs';
import { chatQuality } from './measures/chat-quality.mjs';
import { editing } from './measures/editing.mjs';
import { entities } from './measures/entities.mjs';
import { eventBus } from './measures/event-bus.mjs';
import { clusterFairShare, fairShare } from './measures/fair-share.mjs';
import { hybridSearch } from './measures/hybrid-search.mjs';
import { clusterHybridSearch } from './measures/hybrid-search-cluster.mjs';
import { keyRotation } from './measures/key-rotation.mjs';
import { live } from './measures/live.mjs';
import { memory } from './measures/memory.mjs';
import { openai } from './measures/openai.mjs';
import { redaction } from './measures/redaction.mjs';
import { clusterSearchQuality, searchQuality } from './measures/search-quality.mjs';
import { sealedMedia } from './measures/sealed-media.mjs';
import { sandboxStart } from './measures/sandbox-start.mjs';
import { sse } from './measures/sse.mjs';
import { start } from './measures/start.mjs';
import { summary } from './measures/summary.mjs';
import { turnaround } from './measures/turnaround.mjs';
import { webhooks } from './measures/webhooks.mjs';
import { wire } from './measures/wire.mjs';
import { wordErrors } from './measures/word-errors.mjs';
import { table } from './table.mjs';

const embedded = { start, 'event-bus': eventBus, 'accepted-jobs': acceptedJobs, api, wire, sse, webhooks, 'word-errors': wordErrors, 'hybrid-search': hybridSearch, 'search-quality': searchQuality, 'chat-quality': chatQuality, summary, entities, redaction, diarization, channels, 'fair-share': fairShare, turnaround, live, editing, openai, memory, 'sandbox-start': sandboxStart, 'sealed-media': sealedMedia, 'key-rotation': keyRotation };

const cluster = { 'kafka-bus': kafkaBus, 'accepted-jobs': clusterAcceptedJobs, takeover, scaling, 'fair-share': clusterFairShare, 'hybrid-search': clusterHybridSearch, 'search-quality': clusterSearchQuality };

const flag = { type: 'boolean' };
const { values } = parseArgs({ options: { cluster: flag, quick: flag, smoke: flag, list: flag, only: { type: 'string' } } });
const measures = values.cluster ? cluster : embedded;
if (values.list) {
  console.log(Object.keys(measures).join('\n'));
  process.exit(0);
}
const size = values.smoke ? 'smoke' : values.quick ? 'quick' : 'full';
const wanted = values.only === undefined ? Object.entries(measures) : [[values.only, measures[values.only]]];
if (wanted.some(([, measure]) => measure === undefined)) throw new Error(`unknown measure; there are: ${Object.keys(measures).join(', ')}`);

const rows = [];
for (const [name, measure] of wanted) {
  process.stderr.write(`measuring ${name} (${size})…\n`);
  rows.push(...(await measure(size)));
}
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, size: ${size}\n`);
console.log(table(rows));
// Small runs prove that the measures work; only the others are held to their targets.
process.exitCode = size !== 'smoke' && rows.some(({ met }) => met === false) ? 1 : 0;
