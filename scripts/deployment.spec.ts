import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ALLOCATOR, NODE_FLAGS } from '@parlance/testing';
import { parse, parseAllDocuments } from 'yaml';

// compose.yaml and the chart's renders are checked against what the services really read, call and measure.

const SERVICES = readdirSync('apps').filter((name) => name !== 'standalone');
const read = (path: string) => readFileSync(path, 'utf8');

/** Of Node and of the SDKs, which read the environment by themselves. */
const OTHERS = ['NODE_ENV', 'NODE_EXTRA_CA_CERTS', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

/** Names by section of the reference page, which is generated from the config slices. */
const sections = Object.fromEntries(
  read('docs/reference/configuration.md')
    .split('\n## ')
    .slice(1)
    .map((section) => [section.split('\n', 1)[0], [...section.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name)]),
);

/** A hook reads what every process reads, and the one that makes the search index what search reads. */
const known = (program: string): string[] =>
  [...OTHERS, ...(sections['Every process'] ?? []), ...(sections[program === 'parlance-admin' ? 'search' : program] ?? [])] as string[];

interface Started {
  where: string;
  program: string;
  env: Record<string, unknown>;
}

interface ComposeService {
  command?: string[];
  build?: unknown;
  environment?: Record<string, unknown>;
}

function composeStarts(): Started[] {
  const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as { services: Record<string, ComposeService> };
  return Object.entries(services)
    .filter(([, { build }]) => build !== undefined)
    .map(([name, { command, environment }]) => ({ where: `compose ${name}`, program: command?.[0] ?? '', env: environment ?? {} }));
}

interface Workload {
  kind: string;
  metadata: { name: string };
  spec: { template: { spec: { containers: { args: string[]; env: { name: string; value?: string }[] }[] } } };
}

function renderedStarts(path: string): Started[] {
  return parseAllDocuments(read(path))
    .map((document) => document.toJSON() as Workload | null)
    .filter((object): object is Workload => object?.kind === 'Deployment' || object?.kind === 'Job')
    .flatMap(({ metadata, spec }) =>
      spec.template.spec.containers.map(({ args, env }) => ({
        where: `${basename(path)} ${metadata.name}`,
        program: args[0] ?? '',
        env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
      })),
    );
}

const renders = globSync('helm/parlance/tests/golden/*.yaml');
const shapes: [string, Started[]][] = [['compose.yaml', composeStarts()], ...renders.map((path): [string, Started[]] => [basename(path), renderedStarts(path)])];

describe.each(shapes)('%s', (_name, started) => {
  it('starts every service, and what prepares the servers they are given', () => {
    const hasSearchServer = started.some(({ program, env }) => program === 'search' && 'SEARCH_URL' in env);
    const preparations = Array.from({ length: hasSearchServer ? 3 : 2 }, () => 'parlance-admin');
    expect(started.map(({ program }) => program).toSorted()).toEqual([...SERVICES, ...preparations].toSorted());
  });

  it('makes the search index as the service will use it', () => {
    const [service] = started.filter(({ program }) => program === 'search');
    const ofSearch = ({ env }: Started) => Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('SEARCH_') && !name.endsWith('_GRPC_URL')));
    const indexing = started.filter((one) => one.program === 'parlance-admin' && Object.keys(ofSearch(one)).length > 0);
    expect(indexing.map(ofSearch)).toEqual([service].filter((one) => one && 'SEARCH_URL' in one.env).map((one) => ofSearch(one as Started)));
  });

  it('sets only what the program reads', () => {
    const unknown = started.flatMap(({ where, program, env }) => Object.keys(env).filter((name) => !known(program).includes(name.replace(/_FILE$/, ''))).map((name) => `${where}: ${name}`));
    expect(unknown).toEqual([]);
  });

  it('gives every service the address of every other', () => {
    const addresses = SERVICES.map((service) => `${service.toUpperCase().replaceAll('-', '_')}_GRPC_URL`);
    for (const { program, env } of started.filter(({ program }) => SERVICES.includes(program))) {
      expect({ program, missing: addresses.filter((name) => !String(env[name]).startsWith('dns:///')) }).toEqual({ program, missing: [] });
    }
  });
});

/** A named template of the chart that is plain YAML. */
function wiring(name: string): unknown {
  const text = new RegExp(`define "parlance\\.${name}" -}}\n(.*?)\n{{- end`, 's').exec(read('helm/parlance/templates/_wiring.tpl'))?.[1];
  return parse(text ?? '');
}

const sources = (service: string): string =>
  globSync(`apps/${service}/src/**/*.ts`)
    .filter((path) => !path.endsWith('.spec.ts'))
    .map(read)
    .join('\n');

describe('the wiring of the chart', () => {
  it('lets services call whom they call, and nobody else', () => {
    const calls = SERVICES.map((service) => [service, [...new Set([...sources(service).matchAll(/\bconnect\('([a-z-]+)'/g)].map(([, called]) => called))].toSorted()]);
    expect(wiring('calls')).toEqual(Object.fromEntries(calls.filter(([, called]) => called?.length)));
  });

  it('scales services by queues that they read', () => {
    for (const [service, { topic, group }] of Object.entries(wiring('queues') as Record<string, { topic: string; group: string }>)) {
      const source = sources(service);
      expect({ service, reads: source.includes(`'${topic}'`), as: source.includes(`'${group}'`) }).toEqual({ service, reads: true, as: true });
    }
  });

  it('lets those reach the internet that have a guard for it', () => {
    const guarded = SERVICES.filter((service) => /\begress\b/i.test(sources(service)) && sources(service).includes('createEgress'));
    expect(guarded).toEqual(expect.arrayContaining(wiring('outward') as string[]));
  });
});

describe('alerts and dashboard', () => {
  it.each(['helm/parlance/templates/alerts.yaml', 'helm/parlance/dashboards/parlance.json'])('%s asks only for metrics that there are', (path) => {
    const code = [...SERVICES.map(sources), ...globSync('libs/*/src/**/*.ts').map(read)].join('\n');
    const asked = new Set([...read(path).matchAll(/\bparlance_[a-z_]+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, '')));
    const missing = [...asked].filter((name) => !code.includes(`'${name}'`));
    expect(asked.size).toBeGreaterThan(5);
    expect(missing).toEqual([]);
  });
});

describe('flags and settings of Node', () => {
  it.each(['scripts/run-product.mjs', 'deploy/entrypoint'])('%s gives those that the tests run with', (launcher) => {
    const text = read(launcher);
    for (const flag of NODE_FLAGS) expect(text).toContain(flag);
    for (const [name, value] of Object.entries(ALLOCATOR)) expect(text).toMatch(new RegExp(`${name}(: '|="\\$\\{${name}:-)${value}\\b`));
  });
});
