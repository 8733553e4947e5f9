import type { z } from 'zod';
import type { Scope } from '../keys/scope.js';
import type { Deprecation } from './deprecation.js';
import type { ProblemCode } from './problem-catalogue.js';

/** The required access: none, any key, or a key with the scope, or with each of them. An operation needs the scopes of what it answers. */
export type Access = 'public' | 'any_key' | Scope | readonly Scope[];

/** Each of these is needed. */
export function scopesOf(access: Access): readonly Scope[] {
  if (access === 'public' || access === 'any_key') return [];
  return typeof access === 'string' ? [access] : access;
}

/** One answer as the API description shows it. */
export interface AnswerDefinition {
  description: string;
  /** The schema of a JSON answer. */
  schema?: z.ZodType;
  /** The schema of the data of each event, where the answer is or may be `text/event-stream`. */
  events?: z.ZodType;
  /** Describes an answer that is bytes. */
  binary?: string;
  /** The media types of such an answer; default `application/octet-stream`. */
  binaryTypes?: readonly string[];
  /** The media types of any other answer: `text/vtt` and so on. */
  contentTypes?: readonly string[];
  headers?: Readonly<Record<string, string>>;
}

export interface BodyDefinition<B extends z.ZodType = z.ZodType> {
  /** The schema of a JSON body. */
  schema?: B;
  /** Describes a body that is bytes of any media type; the handler reads it itself. */
  binary?: string;
  /** The media type of such a body in the description; default `application/octet-stream`. */
  binaryType?: string;
  /** Also as a form with a part `file`; the fields besides it. */
  form?: z.ZodObject;
  /** The schema that a request is checked by, where the handler checks parts of the body by itself. */
  envelope?: z.ZodType;
  /** A factor on the usual maximum of bytes and values, for a JSON body of many items. Default 1. */
  scale?: number;
  /** True when the body may be omitted, which is an empty object. */
  optional?: boolean;
}

/**
 * The treatment of an Idempotency-Key: `itself`, in its handler; `never`, when no account is known whose keys they could be;
 * `kept`, by keeping its first answer, which the interceptor does.
 */
interface Repeats {
  by: 'itself' | 'never' | 'kept';
  /** The kept answer contains a secret: it is sealed with the API key of the request. */
  secret?: true;
  /** The kept answer quotes transcripts of any job of the account, and is erased with each of these. */
  quotesJobs?: true;
}

/** A POST keeps its answer unless it says otherwise. */
export const repeatsOf = ({ method, repeats }: Pick<Operation, 'method' | 'repeats'>): Repeats => repeats ?? { by: method === 'POST' ? 'kept' : 'never' };

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
  /** True when a short-lived token does not suffice, whatever its scopes. */
  isForKeysOnly?: boolean;
  /** True when a key that is bound to a project may use it, although no resource of the project is in its path: its handler keeps to the project. */
  isWithinProject?: boolean;
  /** True for an operation on a job that gives and needs no text or recording of it: all others refuse a sealed job. */
  isForSealed?: true;
  /** True when it is possible, although it is no read or DELETE, while the account is to be deleted. */
  isOpenInDeletion?: true;
  /** True when it takes a token in the query as well, for EventSource, which sends no headers. */
  acceptsTokenInQuery?: boolean;
  /** Its treatment of an Idempotency-Key. By default a POST keeps its answer. */
  repeats?: Repeats;
  /** Set when it is to be removed: its answers announce that. */
  deprecated?: Deprecation;
  /** Codes of its own; those that every route can give are added. */
  problems: readonly ProblemCode[];
}

export const defineOperation = <P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType>(
  operation: Operation<P, Q, B>,
): Operation<P, Q, B> => operation;
