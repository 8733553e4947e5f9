import { applyDecorators, Delete, Get, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Access } from '../http/operation.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scopes that a route of another vendor's API requires. Its handler keeps to the project of the key. */
    compatAccess?: Access;
    /** True for a route whose clients cannot send a key: without one, it runs under ASR_ANONYMOUS_KEY. */
    compatKeyless?: boolean;
  }
}

/** The access of a route that takes a recording and answers with its transcript. */
export const TRANSCRIBES: Access = ['transcriptions:write', 'transcriptions:read'];

const ROUTE = { GET: Get, POST: Post, DELETE: Delete } as const;

/** A route of another vendor's API. It is no operation of ours, and is described by that vendor. */
export const CompatRoute = (method: keyof typeof ROUTE, paths: string[], compatAccess: Access, { keyless = false } = {}) => applyDecorators(ROUTE[method](paths), RouteConfig({ compatAccess, compatKeyless: keyless }));
