import { z } from 'zod';

/** What a key may do. */
export const SCOPES = ['transcriptions:read', 'transcriptions:write', 'search', 'chat', 'webhooks', 'keys', 'usage'] as const;

export const scopeSchema = z.enum(SCOPES);

export type Scope = (typeof SCOPES)[number];
