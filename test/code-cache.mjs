// Jest loads every module anew for each suite, and V8 would parse it anew: a sixth of what a suite takes. A worker keeps what V8 made
// of a source for its next suites, by the means that V8 has for it: `cachedData` of node:vm, with which Jest compiles.
import vm from 'node:vm';

const { compileFunction, SourceTextModule } = vm;

/** By the file's name: its source, and what V8 made of it. */
const compiled = new Map();

function cachedData(name, source) {
  const known = compiled.get(name);
  return known?.source === source ? known.data : undefined;
}

vm.compileFunction = (source, parameters, options = {}) => {
  const data = cachedData(options.filename, source);
  if (data) return compileFunction(source, parameters, { ...options, cachedData: data });
  const made = compileFunction(source, parameters, { ...options, produceCachedData: true });
  compiled.set(options.filename, { source, data: made.cachedData });
  return made;
};

vm.SourceTextModule = class extends SourceTextModule {
  constructor(source, options = {}) {
    const data = cachedData(options.identifier, source);
    super(source, data ? { ...options, cachedData: data } : options);
    if (!data) compiled.set(options.identifier, { source, data: this.createCachedData() });
  }
};
