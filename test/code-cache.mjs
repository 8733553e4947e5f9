// Jest loads every module anew for each suite, and V8 would parse it anew: a sixth of what a suite takes. A worker keeps what V8 made
// of a source for its next suites, by the means that V8 has for it: `cachedData` of node:vm, with which Jest compiles.
// V8 rejects it after a flag of the process has changed (`v8.setFlagsFromString`): then the source is compiled anew, and kept.
import vm from 'node:vm';

const { compileFunction, SourceTextModule } = vm;

/** By the file's name: its source, and what V8 made of it. */
const compiled = new Map();

function cachedData(name, source) {
  const known = compiled.get(name);
  return known?.source === source ? known.data : undefined;
}

function compileAnew(source, parameters, options) {
  const made = compileFunction(source, parameters, { ...options, produceCachedData: true });
  compiled.set(options.filename, { source, data: made.cachedData });
  return made;
}

vm.compileFunction = (source, parameters, options = {}) => {
  const data = cachedData(options.filename, source);
  if (!data) return compileAnew(source, parameters, options);
  const made = compileFunction(source, parameters, { ...options, cachedData: data });
  if (made.cachedDataRejected) compiled.delete(options.filename);
  return made;
};

function moduleAnew(source, options) {
  const made = new SourceTextModule(source, options);
  compiled.set(options.identifier, { source, data: made.createCachedData() });
  return made;
}

vm.SourceTextModule = new Proxy(SourceTextModule, {
  construct(_target, [source, options = {}]) {
    const data = cachedData(options.identifier, source);
    if (!data) return moduleAnew(source, options);
    try {
      return new SourceTextModule(source, { ...options, cachedData: data });
    } catch (error) {
      if (error.code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
      return moduleAnew(source, options);
    }
  },
});
