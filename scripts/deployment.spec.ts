import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ALLOCATOR, NODE_FLAGS } from '@parlance/testing';
import { parse, parseAllDocuments } from 'yaml';
import { defaultLiveDecoders } from '../apps/ingest/src/media/live/default-decoders.js';
import { DEFAULT_FEED_LIMITS, DEFAULT_SANDBOX_LIMITS } from '../apps/ingest/src/media/sandbox.js';

// compose.yaml and the chart's renders are checked against what the services really read, call and measure.

/** A program of the image that is no service: it runs where the operator asks for it. */
const MEDIA_DECODER = 'media-decoder';
const SERVICES = readdirSync('apps').filter((name) => name !== 'standalone');
const read = (path: string) => readFileSync(path, 'utf8');

/** Of Node, of the SDKs and of the clients of key services, which read the environment by themselves. */
const OTHERS = ['NODE_ENV', 'NODE_EXTRA_CA_CERTS', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'VAULT_TOKEN'];

/** Names by section of the reference page, which is generated from the config slices. */
const sections = Object.fromEntries(
  read('docs/reference/configuration.md')
    .split('\n## ')
    .slice(1)
    .map((section) => [section.split('\n', 1)[0], [...section.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name)]),
);

/** A hook reads what every process reads, and the one that makes the search index what search reads; media-decoder reads nothing but its own section. */
const known = (program: string): string[] =>
  [...OTHERS, ...(program === MEDIA_DECODER ? [] : (sections['Every process'] ?? [])), ...(sections[program === 'parlance-admin' ? 'search' : program] ?? [])] as string[];

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
  spec: { template: { spec: { containers: { args: string[]; env: { name: string; value?: string }[]; resources?: { limits?: { memory?: string } } }[] } } };
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
    const decoders = started.some(({ env }) => 'MEDIA_DECODER_URL' in env) ? [MEDIA_DECODER] : [];
    expect(started.map(({ program }) => program).toSorted()).toEqual([...SERVICES, ...preparations, ...decoders].toSorted());
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

interface ChartValues {
  live: { streams: number | '' };
  services: Record<string, { autoscaling?: Record<string, number> }>;
}

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
    const calls = SERVICES.map((service) => [service, [...new Set([...sources(service).matchAll(/\b(?:connect\(|servicePort\(\w+, )'([a-z-]+)'/g)].map(([, called]) => called))].toSorted()]);
    expect(wiring('calls')).toEqual(Object.fromEntries(calls.filter(([, called]) => called?.length)));
  });

  it('scales services by queues that they read', () => {
    const described = read('docs/events/services.md').split('\n');
    for (const [service, { topic, group, tasks = [] }] of Object.entries(wiring('queues') as Record<string, { topic?: string; group?: string; tasks?: string[] }>)) {
      for (const queue of tasks) expect({ service, works: sources(service).includes(`'${queue}'`) }).toEqual({ service, works: true });
      if (topic === undefined) continue;
      const row = described.find((line) => line.startsWith(`| ${service} |`));
      expect({ service, reads: row?.includes(`\`${topic}.${group}\``) }).toEqual({ service, reads: true });
    }
  });

  it('scales services by measures of live sessions that they make, before a pod is full', () => {
    const values = [read('helm/parlance/values.yaml'), read('helm/parlance/values/production.yaml')].map((text) => parse(text) as ChartValues);
    for (const [service, { metric, threshold }] of Object.entries(wiring('liveMeasures') as Record<string, { metric: string; threshold: string }>)) {
      expect({ service, measures: sources(service).includes(`'${metric}'`) }).toEqual({ service, measures: true });
      for (const { services } of values.slice(0, 1)) expect(services[service]?.autoscaling).toHaveProperty(threshold);
    }
    for (const { live, services } of values) {
      if (live.streams) expect(services['transcription']?.autoscaling?.['liveStreamsThreshold']).toBeLessThan(live.streams);
    }
  });

  it('lets those reach the internet that have a guard for it', () => {
    const guarded = SERVICES.filter((service) => /\begress\b/i.test(sources(service)) && sources(service).includes('createEgress'));
    expect(guarded).toEqual(expect.arrayContaining(wiring('outward') as string[]));
  });
});

interface EgressRule {
  to?: { ipBlock?: { cidr: string; except?: string[] } }[];
}

interface NetworkPolicy {
  kind: string;
  metadata: { name: string };
  spec: { podSelector: { matchLabels?: Record<string, string>; matchExpressions?: { values: string[] }[] }; egress?: EgressRule[] };
}

describe.each(renders)('the NetworkPolicies of %s', (path) => {
  const policies = parseAllDocuments(read(path)).map((document) => document.toJSON() as NetworkPolicy | null).filter((object): object is NetworkPolicy => object?.kind === 'NetworkPolicy');
  const rules = policies.flatMap(({ metadata, spec }) => (spec.egress ?? []).map((rule) => ({ policy: metadata.name, ...rule })));

  it('open no port to everywhere', () => {
    expect(rules.length).toBeGreaterThan(5);
    expect(rules.filter(({ to }) => to === undefined || to.length === 0)).toEqual([]);
  });

  it('leave private and cloud-internal addresses out of what is public', () => {
    const blocks = rules.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => (ipBlock ? [ipBlock] : [])));
    for (const { except } of blocks.filter(({ cidr }) => cidr === '0.0.0.0/0')) {
      expect(except).toEqual(expect.arrayContaining(['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15']));
    }
    for (const { except } of blocks.filter(({ cidr }) => cidr === '::/0')) expect(except).toEqual(expect.arrayContaining(['::1/128', '64:ff9b::/96', '2002::/16', 'fc00::/7', 'fe80::/10']));
  });
});

const GIBIBYTE = 1024 ** 3;
const defaultOf = (name: string) => Number(new RegExp(`^\\| \`${name}\` \\| \`(\\d+)\``, 'm').exec(read('docs/reference/configuration.md'))?.[1]);

/** All live decoders at their limit, as many as a pod has by default, on any number of cores. */
const liveBytes = (podBytes: number) => defaultLiveDecoders(Infinity, podBytes) * (DEFAULT_FEED_LIMITS.dataBytes ?? NaN);

describe('the memory of ingest', () => {
  /** Node, voice activity and what the kernel keeps for them. */
  const OWN_BYTES = 0.75 * GIBIBYTE;
  const concurrency = defaultOf('DECODE_CONCURRENCY');

  it.each(renders)('holds all decoders at their limit beside the service in %s', (path) => {
    const ingest = parseAllDocuments(read(path))
      .map((document) => document.toJSON() as Workload | null)
      .find((object) => object?.kind === 'Deployment' && object.metadata.name.endsWith('ingest'));
    const limit = ingest?.spec.template.spec.containers[0]?.resources?.limits?.memory ?? '';
    expect(limit).toMatch(/^\d+Gi$/);
    const bytes = Number.parseInt(limit, 10) * GIBIBYTE;
    expect(bytes - liveBytes(bytes)).toBeGreaterThanOrEqual(concurrency * DEFAULT_SANDBOX_LIMITS.addressSpaceBytes + OWN_BYTES);
  });
});

describe('public addresses', () => {
  interface EgressPolicy {
    kind: string;
    metadata: { name: string };
    spec: { podSelector: { matchExpressions?: { operator: string; values: string[] }[] }; egress?: { to: { ipBlock?: { cidr: string } }[] }[] };
  }
  const policies = parseAllDocuments(read('helm/parlance/tests/golden/production.yaml'))
    .map((document) => document.toJSON() as EgressPolicy | null)
    .filter((object) => object?.kind === 'NetworkPolicy') as EgressPolicy[];

  it('are open for the media store to the services that use media, and for the rest to those that need them', () => {
    const open = policies.filter(({ spec }) => spec.egress?.some(({ to }) => to.some(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0')));
    expect(open.map(({ metadata }) => metadata.name).toSorted()).toEqual(['parlance-ingest', 'parlance-to-s3', 'parlance-transcription', 'parlance-webhook-dispatcher']);
    const [selected] = open.find(({ metadata }) => metadata.name === 'parlance-to-s3')?.spec.podSelector.matchExpressions ?? [];
    const users = SERVICES.filter((service) => service !== MEDIA_DECODER && read(`apps/${service}/src/service.ts`).includes('usesMedia: true'));
    expect([selected?.operator, selected?.values.toSorted()]).toEqual(['In', users.toSorted()]);
  });

  it('are not needed for the model that finds names to redact, which transcription alone reaches', () => {
    const models = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'models' } } };
    const rules = policies.flatMap(({ metadata, spec }) => (spec.egress ?? []).filter(({ to }) => JSON.stringify(to).includes('models')).map(({ to }) => [metadata.name, to]));
    expect(rules).toEqual([['parlance-transcription', [models]]]);
  });
});

describe('the pods of the media decoder', () => {
  interface DecoderPod {
    serviceAccountName: string;
    automountServiceAccountToken: boolean;
    containers: { env: { name: string; valueFrom?: { secretKeyRef: { name: string } } }[]; securityContext: object; resources: { limits: { memory: string } } }[];
    volumes: { name: string; emptyDir?: { sizeLimit: string }; secret?: { secretName: string } }[];
  }
  const objects = parseAllDocuments(read('helm/parlance/tests/golden/production.yaml')).map((document) => document.toJSON() as { kind: string; metadata: { name: string; annotations?: object }; spec: unknown } | null);
  const named = <T>(kind: string, name: string) => objects.find((object) => object?.kind === kind && object.metadata.name === name) as { metadata: { annotations?: object }; spec: T } | undefined;
  const podOf = (name: string) => named<{ template: { spec: DecoderPod } }>('Deployment', name)?.spec.template.spec;
  const pod = podOf('parlance-media-decoder') as DecoderPod;
  const secretsOf = ({ containers, volumes }: DecoderPod) => [
    ...containers.flatMap(({ env }) => env.flatMap(({ valueFrom }) => (valueFrom ? [valueFrom.secretKeyRef.name] : []))),
    ...volumes.flatMap(({ secret }) => (secret ? [secret.secretName] : [])),
  ];

  it('have no secret but the token and the certificate of their own calls', () => {
    expect(secretsOf(pod)).toEqual(['parlance-media-decoder-token', 'parlance-media-decoder-grpc']);
    const ofServices = SERVICES.flatMap((service) => secretsOf(podOf(`parlance-${service}`) as DecoderPod).map((secret) => `${service} ${secret}`));
    expect(ofServices.filter((name) => name.includes('media-decoder'))).toEqual(['ingest parlance-media-decoder-token']);
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(named('ServiceAccount', pod.serviceAccountName)?.metadata.annotations).toBeUndefined();
    expect(pod.containers[0]?.securityContext).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
  });

  it('are called by ingest alone and reach nothing, not even names', () => {
    const policies = objects.filter((object) => object?.kind === 'NetworkPolicy').map((object) => object as unknown as NetworkPolicy & { spec: { ingress?: { ports: { port: string }[]; from: object[] }[] } });
    const [component, decoder] = ['app.kubernetes.io/component', 'media-decoder'];
    const selects = ({ podSelector: { matchLabels = {}, matchExpressions = [] } }: NetworkPolicy['spec']) =>
      (matchLabels[component] ?? decoder) === decoder && matchExpressions.every((expression) => expression.values.includes(decoder) === ((expression as { operator?: string }).operator === 'In'));
    const ofDecoder = policies.filter(({ spec }) => selects(spec));
    expect(ofDecoder.map(({ metadata }) => metadata.name).toSorted()).toEqual(['parlance-deny', 'parlance-media-decoder']);
    expect(ofDecoder.flatMap(({ spec }) => spec.egress ?? [])).toEqual([]);
    const callers = ofDecoder.flatMap(({ spec }) => spec.ingress ?? []).filter(({ ports }) => ports[0]?.port === 'grpc');
    expect(callers.map(({ from }) => from)).toEqual([[{ podSelector: { matchLabels: expect.objectContaining({ [component]: 'ingest' }) } }]]);
  });

  it('hold all their decoders at their limit, and the recordings of all', () => {
    const inGibibytes = (quantity = '') => Number(/^(\d+)Gi$/.exec(quantity)?.[1]);
    const concurrency = defaultOf('DECODE_CONCURRENCY');
    const bytes = inGibibytes(pod.containers[0]?.resources.limits.memory) * GIBIBYTE;
    expect(bytes - liveBytes(bytes)).toBeGreaterThanOrEqual(concurrency * DEFAULT_SANDBOX_LIMITS.addressSpaceBytes + GIBIBYTE / 2);
    const scratch = pod.volumes.find(({ name }) => name === 'data')?.emptyDir?.sizeLimit;
    expect(inGibibytes(scratch) * GIBIBYTE).toBeGreaterThan(concurrency * defaultOf('MEDIA_MAX_BYTES'));
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

interface PortsOf {
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  spec: {
    ports?: { name: string; targetPort: string }[];
    ingress?: { ports: { port: string }[]; from?: unknown[] }[];
    endpoints?: { port: string }[];
    template?: { spec: { containers: { args: string[]; env: { name: string; value?: string }[]; ports: { name: string; containerPort: number }[]; readinessProbe: { httpGet: { port: string } } }[] } };
  };
}

describe('metrics and the state of servers', () => {
  const HEALTH_PORT = 9090;

  it.each(renders)('have a port of their own in %s, which only those open who collect them', (path) => {
    const objects = parseAllDocuments(read(path)).map((document) => document.toJSON() as PortsOf | null).filter((object) => object !== null);
    const containers = objects.filter(({ kind }) => kind === 'Deployment').flatMap(({ spec }) => spec.template?.spec.containers ?? []);
    expect(containers.map(({ args }) => args[0]).filter((name) => name !== MEDIA_DECODER).toSorted()).toEqual(SERVICES.toSorted());
    for (const { env, ports, readinessProbe } of containers) {
      expect(env).toContainEqual({ name: 'HEALTH_PORT', value: String(HEALTH_PORT) });
      expect(ports).toContainEqual({ name: 'health', containerPort: HEALTH_PORT });
      expect(readinessProbe.httpGet.port).toBe('health');
    }
    const [ofCallers] = objects.filter(({ kind, metadata }) => kind === 'Service' && metadata.name === 'parlance');
    expect(ofCallers?.spec.ports?.map(({ targetPort }) => targetPort)).toEqual(['http']);
    const opened = objects.filter(({ kind }) => kind === 'NetworkPolicy').flatMap(({ spec }) => spec.ingress ?? []).filter(({ ports }) => ports.some(({ port }) => port === 'health'));
    expect(opened).toHaveLength(containers.length);
    for (const { ports, from } of opened) expect({ ports: ports.length, from: from?.length }).toEqual({ ports: 1, from: expect.any(Number) as number });
    expect(objects.filter(({ kind }) => kind === 'ServiceMonitor').flatMap(({ spec }) => spec.endpoints?.map(({ port }) => port))).toEqual(read(path).includes('kind: ServiceMonitor') ? ['metrics'] : []);
  });

  it('have a port of their own in the image and in compose.yaml, which does not publish it', () => {
    expect(read('deploy/Dockerfile')).toMatch(new RegExp(`^ENV .*\\bHEALTH_PORT=${HEALTH_PORT}\\b`, 'm'));
    for (const { program, env } of composeStarts().filter(({ program }) => SERVICES.includes(program))) expect({ program, port: env['HEALTH_PORT'] }).toEqual({ program, port: HEALTH_PORT });
    const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as { services: Record<string, { ports?: string[] }> };
    expect(Object.values(services).flatMap(({ ports = [] }) => ports).filter((port) => String(port).includes(String(HEALTH_PORT)))).toEqual([]);
  });
});
