import { z } from 'zod';

/** The permissions of a key. */
export const SCOPES = ['transcriptions:read', 'transcriptions:write', 'search', 'chat', 'webhooks', 'keys', 'usage'] as const;

export const scopeSchema = z.enum(SCOPES).meta({ id: 'Scope', description: 'A permission of a key.' });

export type Scope = (typeof SCOPES)[number];
