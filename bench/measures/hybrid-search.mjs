import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { embedderFromUrl } from '@parlance/engines';
import { openSearchIndex } from '@parlance/search-index';
import { quantile } from '../table.mjs';
import { ACCOUNT, corpus, DIMENSIONS } from './hybrid-search-corpus.mjs';

const PASSAGES = { smoke: 2000, quick: 20_000, full: 100_000 };
const QUERIES = { smoke: 20, quick: 200, full: 500 };
const TARGET = { p50: 20, p99: 100, held: 50, indexed: 3000 };

/** The embedded index: how long a search takes, whether it holds the main thread, and how long an hour of speech takes to index. */
export async function hybridSearch(size) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-'));
  const index = await openSearchIndex(`sqlite:${join(folder, 'search.db')}`, { dimensions: DIMENSIONS });
  try {
    const { jobs, queries } = corpus();
    const embedder = embedderFromUrl('static:', { dimensions: DIMENSIONS });
    const signal = new AbortController().signal;
    const puts = [];
    for (const job of jobs(PASSAGES[size])) {
      const started = performance.now();
      // Thrown away: made-up words are near nothing. The corpus has vectors of its own.
      await embedder.embed({ texts: job.passages.map(({ text }) => text), purpose: 'passage', signal });
      await index.put(job);
      puts.push(performance.now() - started);
    }
    // The first search reads the account's vectors.
    const [first, ...others] = queries(QUERIES[size] + 1);
    const coldMs = await timed(() => index.search({ accountId: ACCOUNT, ...first }));
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const times = [];
    for (const query of others) times.push(await timed(() => index.search({ accountId: ACCOUNT, ...query })));
    delay.disable();
    const [p50, p99] = [0.5, 0.99].map((part) => quantile(times.toSorted((a, b) => a - b), part));
    const held = delay.max / 1e6;
    const indexed = quantile(puts.toSorted((a, b) => a - b), 0.5);
    const count = PASSAGES[size].toLocaleString('en');
    return [
      row(`hybrid search, embedded, ${count} passages`, `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`, `first one ${coldMs.toFixed(0)} ms`, 'p50 < 20 ms, p99 < 100 ms', p50 < TARGET.p50 && p99 < TARGET.p99),
      row('hybrid search, embedded, main thread held', `at most ${held.toFixed(1)} ms`, '', '< 50 ms', held < TARGET.held),
      row('embedding and indexing an hour of speech (500 passages)', `p50 ${indexed.toFixed(0)} ms`, '', '< 3 s', indexed < TARGET.indexed),
    ];
  } finally {
    await index.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const row = (name, measured, baseline, target, met) => ({ name, measured, baseline, ratio: '', target, met });

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
