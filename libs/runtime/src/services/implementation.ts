import type { CallOptions, ServiceDefinition, ServicePort } from '@parlance/contracts';

/** A service with its methods, made by `serve`. */
export interface Implementation {
  definition: ServiceDefinition;
  methods: Methods;
}

type Method = (request: unknown, options: CallOptions) => unknown;
type Methods = Readonly<Record<string, Method | undefined>>;

/** The methods of a service that no part has; never when there are none. */
type MissingMethods<D extends ServiceDefinition, Part> = Exclude<keyof ServicePort<D>, Part extends unknown ? keyof Part : never>;

/** Joins a service definition with the object that implements it, or with several that implement it together. */
export function serve<D extends ServiceDefinition>(definition: D, whole: ServicePort<D>): Implementation;
export function serve<D extends ServiceDefinition, Parts extends Partial<ServicePort<D>>[]>(
  definition: D & ([MissingMethods<D, Parts[number]>] extends [never] ? unknown : { missingMethods: MissingMethods<D, Parts[number]> }),
  ...parts: Parts
): Implementation;
export function serve(definition: ServiceDefinition, ...parts: object[]): Implementation {
  const methodIn = (name: string) => parts.map((part) => (part as Methods)[name]?.bind(part)).find((method) => method !== undefined);
  const methods = Object.keys(definition.methods).map((name) => [name, methodIn(name)]);
  return { definition, methods: Object.fromEntries(methods) as Methods };
}
