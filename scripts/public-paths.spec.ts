import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceHarness } from '@parlance/testing/service-harness';
import { parse } from 'yaml';
import { compatRoots } from '../apps/gateway/src/compat/compat-roots.js';
import { createHttpAdapter } from '../apps/gateway/src/http/http-server.js';
import { manifest } from '../apps/gateway/src/service.js';
import { StandInServices } from '../apps/gateway/test/stand-in-services.js';

/** The routes for load balancers and monitoring inside of the cluster. */
const INTERNAL = ['/health/dependencies', '/health/live', '/health/ready', '/metrics'];

/** The paths of a running gateway, with parameters as `:name`. */
async function servedPaths(): Promise<string[]> {
  await using started = new AsyncDisposableStack();
  const { services, env } = await StandInServices.start();
  started.use(services);
  const paths = new Set<string>();
  const adapter: typeof createHttpAdapter = (context) => {
    const created = createHttpAdapter(context);
    created.getInstance().addHook('onRoute', ({ url }) => void paths.add(url));
    return created;
  };
  started.use(await ServiceHarness.start({ ...manifest, http: { ...manifest.http, adapter } }, { PORT: '0', ...env }));
  return [...paths];
}

/** The paths at the root of the server that COMPAT_ROOTS serves by these routes. */
function rootPaths(served: readonly string[]): string[] {
  const atRoot = compatRoots(['deepgram', 'assemblyai', 'asr']);
  return served.flatMap((path) => {
    const rest = path.replace(/^\/compat\/[a-z]+/, '');
    return rest !== path && atRoot(rest) === path ? [rest] : [];
  });
}

describe('the chart’s public paths', () => {
  const { publicPaths } = parse(readFileSync('helm/parlance/values.yaml', 'utf8')) as { publicPaths: { path: string; type: string }[] };
  const leadsTo = ({ path, type }: { path: string; type: string }, place: string) => (type === 'Exact' ? place === path : `${place}/`.startsWith(`${path}/`));
  let routes: string[] = [];
  beforeAll(async () => {
    const served = await servedPaths();
    routes = [...served, ...rootPaths(served)];
  });

  it('lead to every route but those for the cluster alone', () => {
    expect(routes).toEqual(expect.arrayContaining(['/api/v1/transcriptions', '/v1/audio/transcriptions', '/v1/realtime', '/v1/listen', '/v2/transcript/:job_id', '/asr', '/live', ...INTERNAL]));
    const unreachable = routes.filter((route) => !publicPaths.some((path) => leadsTo(path, route)));
    expect(unreachable.toSorted()).toEqual(INTERNAL);
  });

  it('lead nowhere where nothing is served', () => {
    expect(publicPaths.filter((path) => !routes.some((route) => leadsTo(path, route)))).toEqual([]);
  });

  it('lead to all that the pages load', () => {
    const pages = ['console-page', 'live-page'].map((name) => readFileSync(`apps/gateway/src/console/${name}.ts`, 'utf8')).join('\n');
    const loaded = [...pages.matchAll(/(?:src|<link rel="stylesheet" href)="(\/[^"]*)"/g)].map(([, path = '']) => path);
    expect(loaded).toEqual(expect.arrayContaining(['/console.css', '/console.js']));
    expect(loaded.filter((place) => !publicPaths.some((path) => leadsTo(path, place)))).toEqual([]);
  });
});
