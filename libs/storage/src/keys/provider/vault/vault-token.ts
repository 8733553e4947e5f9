import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { callJson } from '../service/json-call.js';

/** The sources of a process's identity for Vault. */
export interface VaultIdentity {
  /** Role of Vault's Kubernetes auth method; undefined: a token from the environment. */
  role: string | undefined;
  /** Path of the Kubernetes auth method. */
  authPath: string;
  env: Readonly<Record<string, string | undefined>>;
  /** File with the token of the pod's service account. */
  accountTokenFile?: string;
}

const ACCOUNT_TOKEN_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/token';

const login = z.object({ auth: z.object({ client_token: z.string().min(1) }) });

/** There is no token, so Vault cannot be asked. */
export class NoVaultToken extends Error {
  override readonly name = 'NoVaultToken';
}

/** The token that Vault's API asks for: by a login, from VAULT_TOKEN, or from the file VAULT_TOKEN_FILE, which an agent may renew. */
export class VaultToken {
  private current: string | undefined;

  /** @param headers of every call */
  constructor(
    private readonly address: string,
    private readonly headers: Record<string, string>,
    private readonly identity: VaultIdentity,
  ) {}

  async get(signal: AbortSignal): Promise<string> {
    this.current ??= await this.obtain(signal);
    return this.current;
  }

  /** Forgets the token that was refused. @returns true when another one may be had */
  refused(): boolean {
    this.current = undefined;
    return this.identity.role !== undefined || isSet(this.identity.env.VAULT_TOKEN_FILE);
  }

  private async obtain(signal: AbortSignal): Promise<string> {
    const { role, env } = this.identity;
    if (role !== undefined) return this.login(role, signal);
    if (isSet(env.VAULT_TOKEN)) return env.VAULT_TOKEN;
    if (isSet(env.VAULT_TOKEN_FILE)) return (await this.read(env.VAULT_TOKEN_FILE)).trim();
    throw new NoVaultToken('Neither VAULT_TOKEN, VAULT_TOKEN_FILE nor the option role is set.');
  }

  /** https://developer.hashicorp.com/vault/api-docs/auth/kubernetes#login */
  private async login(role: string, signal: AbortSignal): Promise<string> {
    const jwt = (await this.read(this.identity.accountTokenFile ?? ACCOUNT_TOKEN_FILE)).trim();
    const answer = await callJson(`${this.address}/v1/auth/${this.identity.authPath}/login`, { method: 'POST', headers: this.headers, body: { role, jwt }, signal });
    return login.parse(answer).auth.client_token;
  }

  private read(path: string): Promise<string> {
    return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new NoVaultToken(`${path} cannot be read (${error.code ?? error.message}).`);
    });
  }
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== '';
