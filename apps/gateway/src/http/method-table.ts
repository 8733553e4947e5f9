interface Path {
  pattern: RegExp;
  methods: Set<string>;
}

/** The methods of each path, to distinguish a wrong method (405, with Allow) from a wrong path (404). */
export class MethodTable {
  private readonly paths = new Map<string, Path>();

  /** @param url with parameters as `:name` */
  add(method: string | readonly string[], url: string): void {
    const key = url.replace(/:\w+/g, ':');
    const path = this.paths.get(key) ?? { pattern: patternOf(key), methods: new Set() };
    for (const each of typeof method === 'string' ? [method] : method) path.methods.add(each);
    this.paths.set(key, path);
  }

  /** In alphabetical order, with OPTIONS, which every path has; empty when there is no such path. */
  allowed(path: string): string[] {
    // RFC 9110, section 9.3.7: the server as a whole.
    if (path === '*') return [...new Set([...this.paths.values()].flatMap(({ methods }) => [...methods]).concat('OPTIONS'))].toSorted();
    const methods = [...this.paths.values()].filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]);
    return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])].toSorted();
  }
}

const patternOf = (key: string): RegExp =>
  new RegExp(`^${key.split(':').map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('[^/]+')}$`);
