import { z } from 'zod';

/** The permissions of a key. */
export const SCOPES = ['transcriptions:read', 'transcriptions:write', 'search', 'chat', 'webhooks', 'keys', 'usage', 'audit'] as const;

export const scopeSchema = z.enum(SCOPES).meta({ id: 'Scope', description: 'A permission of a key.' });

export type Scope = (typeof SCOPES)[number];

/** Scopes whose operations concern the whole account. */
const ACCOUNT_SCOPES: readonly Scope[] = ['keys', 'usage', 'audit'];

/** A key with a budget creates no other keys, because they would have none; one that is bound to a project reaches nothing of the whole account. */
export function refusedScopes({ projectId, monthlySeconds }: { projectId?: string | undefined; monthlySeconds?: number | undefined }): readonly Scope[] {
  if (projectId !== undefined) return ACCOUNT_SCOPES;
  return monthlySeconds === undefined ? [] : ['keys'];
}
