/** The architecture's boundaries: a service imports libs, never another service; a lib imports only libs below it. */
const LAYERS = [
  ['languages', 'platform'],
  ['contracts', 'egress', 'engines', 'text-analysis', 'transcript'],
  ['documents', 'event-bus'],
  ['storage', 'search-index'],
  ['task-queue'],
  ['stage'],
  ['runtime', 'testing'],
];

const above = (layer) => LAYERS.slice(layer + 1).flat().join('|');

const libRules = LAYERS.flatMap((libs, layer) =>
  layer === LAYERS.length - 1
    ? []
    : [
        {
          name: `libs-of-layer-${layer}-import-nothing-above`,
          severity: 'error',
          from: { path: `^libs/(${libs.join('|')})/` },
          to: { path: `^libs/(${above(layer)})/` },
        },
      ],
);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'a-service-never-imports-another',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/standalone/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    { name: 'a-lib-never-imports-a-service', severity: 'error', from: { path: '^libs/' }, to: { path: '^apps/' } },
    ...libRules,
    {
      name: 'adapters-are-chosen-at-the-root-only',
      severity: 'error',
      from: { path: '^apps/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^libs/(event-bus/src/(embedded|kafka)|task-queue/src/(sqlite|mongo)|storage/src/documents/(sqlite|mongo)|storage/src/media/(file|s3|sealed)|storage/src/keys/provider/(local|service|aws|google|azure|vault)|search-index/src/(sqlite|opensearch))/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'product-code-imports-no-tests',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '(\\.spec\\.ts$|/contract/|^(apps|libs)/[^/]+/test/|^libs/testing/)' },
      to: { path: '(\\.spec\\.ts$|/src/contract/|^(apps|libs)/[^/]+/test/|^libs/testing/)' },
    },
    { name: 'nothing-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(/dist/|/generated/.*/generated/)' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['@parlance/source', 'import', 'node', 'default', 'types'] },
  },
};
