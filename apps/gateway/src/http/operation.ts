import { applyDecorators, HttpCode, RequestMapping, RequestMethod } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { z } from 'zod';
import type { Scope } from '../keys/scope.js';
import type { ProblemCode } from './problem-catalogue.js';

/** Who may call: anybody, whoever has a key, or a key with the scope. */
export type Access = 'public' | 'any_key' | Scope;

/** One answer as the API description shows it. */
export interface AnswerDefinition {
  description: string;
  /** Of a JSON answer. */
  schema?: z.ZodType;
  /** Of any other; `text/event-stream`, `text/vtt` and so on. */
  contentTypes?: readonly string[];
  headers?: Readonly<Record<string, string>>;
}

export interface BodyDefinition<B extends z.ZodType = z.ZodType> {
  schema: B;
  /** Also as a form with a part `file`; the fields besides it. */
  form?: z.ZodType;
  /** Whether the body may be left out, which is an empty object. */
  optional?: boolean;
}

/**
 * One route: what it takes and what it answers. The same definition routes, guards and validates the request
 * and makes the OpenAPI description, so that they cannot disagree.
 */
export interface Operation<P extends z.ZodObject = z.ZodObject, Q extends z.ZodObject = z.ZodObject, B extends z.ZodType = z.ZodType> {
  /** The operationId: what SDKs name the call. */
  id: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With parameters as in OpenAPI: `/api/v1/transcriptions/{job_id}`. */
  path: `/${string}`;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  params: P;
  query: Q;
  /** Request headers that matter: name → description. */
  headers?: Readonly<Record<string, string>>;
  body?: BodyDefinition<B>;
  answers: Readonly<Record<number, AnswerDefinition>>;
  /** Codes of its own; those that every route can give are added. */
  problems: readonly ProblemCode[];
}

export const defineOperation = <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  operation: Operation<P, Q, B>,
): Operation<P, Q, B> => operation;

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

/** The status that it answers with when all goes well; Nest's own for a POST is 201, whatever it does. */
const statusOf = ({ answers }: Operation): number => Math.min(...Object.keys(answers).map(Number));

/** Makes a controller's method the handler of the operation. */
export const Serves = (operation: Operation) =>
  applyDecorators(
    RequestMapping({ path: operation.path.replace(/\{(\w+)\}/g, ':$1'), method: RequestMethod[operation.method] }),
    HttpCode(statusOf(operation)),
    RouteConfig({ operation }),
  );
