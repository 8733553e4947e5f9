import { newKey, openBytes, sealBytes } from '../../src/keys/aead.js';

/** Symmetric keys with versions, as key services have them. Versions count from 1. */
export class VersionedKeys {
  private readonly keys = new Map<string, Buffer[]>();

  create(name: string): void {
    this.keys.set(name, [newKey()]);
  }

  has(name: string): boolean {
    return this.keys.has(name);
  }

  newest(name: string): number {
    return this.keys.get(name)?.length ?? 0;
  }

  rotate(name: string): void {
    this.keys.get(name)?.push(newKey());
  }

  encrypt(name: string, plaintext: Buffer, context: string): string {
    const version = this.newest(name);
    return sealBytes(this.key(name, version), plaintext, context);
  }

  /** @returns undefined when the key did not encrypt it */
  decrypt(name: string, ciphertext: string, context: string): { plaintext: Buffer; version: number } | undefined {
    for (let version = this.newest(name); version > 0; version -= 1) {
      const plaintext = openBytes(this.key(name, version), ciphertext, context);
      if (plaintext) return { plaintext, version };
    }
    return undefined;
  }

  private key(name: string, version: number): Buffer {
    const key = this.keys.get(name)?.[version - 1];
    if (!key) throw new Error(`There is no key ${name}, version ${version}.`);
    return key;
  }
}
