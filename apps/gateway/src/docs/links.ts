import { z } from 'zod';
import type { AnswerDefinition, Operation } from '../http/operation.js';

interface Link {
  operationId: string;
  parameters: Record<string, string>;
}

const paramsOf = ({ params }: Operation): string[] => Object.keys(params.shape);

/**
 * The links of an answer: to the reads of the created resource, whose ids the answer or its path contains (OpenAPI 3.1,
 * Link Object).
 */
export function linksOf(operation: Operation, { schema }: AnswerDefinition, all: readonly Operation[]): Record<string, Link> {
  if (operation.method === 'GET' || !(schema instanceof z.ZodObject)) return {};
  const own = paramsOf(operation);
  const made = Object.keys(schema.shape).filter((name) => name.endsWith('_id') && !own.includes(name));
  const places = new Map([...own.map((name) => [name, `$request.path.${name}`] as const), ...made.map((name) => [name, `$response.body#/${name}`] as const)]);
  const reached = all.filter((other) => {
    if (other.method !== 'GET') return false;
    const needed = paramsOf(other);
    return needed.some((name) => made.includes(name)) && needed.every((name) => places.has(name));
  });
  return Object.fromEntries(reached.map((other) => [other.id, linkTo(other, places)]));
}

const linkTo = (other: Operation, places: ReadonlyMap<string, string>): Link => ({
  operationId: other.id,
  parameters: Object.fromEntries(paramsOf(other).map((name) => [name, places.get(name) ?? ''])),
});
