import type { CallOptions, ServiceDefinition, ServicePort } from '@parlance/contracts';

/** A service with its methods, made by `serve`. */
export interface Implementation {
  definition: ServiceDefinition;
  methods: Methods;
}

type Method = (request: unknown, options: CallOptions) => unknown;
type Methods = Readonly<Record<string, Method | undefined>>;

/** Joins a service definition with the object that implements it, or with two or three that implement it together. */
export function serve<D extends ServiceDefinition>(definition: D, whole: ServicePort<D>): Implementation;
export function serve<D extends ServiceDefinition, Part extends Partial<ServicePort<D>>>(definition: D, part: Part, rest: Omit<ServicePort<D>, keyof Part>): Implementation;
export function serve<D extends ServiceDefinition, One extends Partial<ServicePort<D>>, Other extends Partial<ServicePort<D>>>(
  definition: D,
  one: One,
  other: Other,
  rest: Omit<ServicePort<D>, keyof One | keyof Other>,
): Implementation;
export function serve<D extends ServiceDefinition, One extends Partial<ServicePort<D>>, Second extends Partial<ServicePort<D>>, Third extends Partial<ServicePort<D>>>(
  definition: D,
  one: One,
  second: Second,
  third: Third,
  rest: Omit<ServicePort<D>, keyof One | keyof Second | keyof Third>,
): Implementation;
export function serve(definition: ServiceDefinition, ...parts: object[]): Implementation {
  const methodIn = (name: string) => parts.map((part) => (part as Methods)[name]?.bind(part)).find((method) => method !== undefined);
  const methods = Object.keys(definition.methods).map((name) => [name, methodIn(name)]);
  return { definition, methods: Object.fromEntries(methods) as Methods };
}
