import { describe, expect, it } from '@jest/globals';
import { readConfig, type ConfigShape } from '@parlance/platform';
import { configurationReference } from './configuration-reference.js';
import { manifests } from './manifests.js';

const noFiles = (): string => {
  throw new Error('no such file');
};

describe('the reference of the settings', () => {
  it('shows defaults that the program takes, and takes for the same', () => {
    const rows = [...configurationReference(manifests).matchAll(/^\| `(\w+)` \| `(.+?)` \|/gm)];
    const shape: ConfigShape = Object.assign({}, ...manifests.map(({ config }) => config as ConfigShape));
    const shown = rows.flatMap(([, name = '', value = '']) => (name in shape ? [[name, value] as const] : []));
    expect(shown.map(([name]) => name)).toContain('WEBHOOK_RETRY_SCHEDULE');
    for (const [name, value] of shown) {
      const one = { [name]: shape[name] } as ConfigShape;
      const read = (env: Record<string, string>) => readConfig(one, { env, readFile: noFiles });
      expect(read({ [name]: value })).toEqual(read({}));
    }
  });
});
