import { keys, type KeyService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { isOfMediaKeys, type KeyRecord, type KeyRecords, type KeyState } from '@parlance/storage';
import { serve, type Implementation } from '../services/implementation.js';

/** Serves the wrapped keys to the other services, but for those that open recordings which clients encrypted. */
export const keyService = (records: KeyRecords): Implementation =>
  serve(keys.KeyServiceDefinition, {
    findKeys: async ({ ids }) => ({ keys: [...(await records.find(ids.filter((id) => !isOfMediaKeys(id))))].map(([id, state]) => stateMessage(id, state)) }),
    addKey: async ({ key }) => {
      if (!key || isOfMediaKeys(key.id)) throw new AppError({ kind: 'invalid', code: 'invalid_id', message: 'The key is missing, or is not served.' });
      return { key: stateMessage(key.id, await records.add(key)) };
    },
    destroyKey: async ({ id }) => {
      if (isOfMediaKeys(id)) throw new AppError({ kind: 'invalid', code: 'invalid_id', message: 'The key is not served.' });
      await records.destroy(id);
      return {};
    },
  });

/** The wrapped keys as another service has them. */
export class ServedKeyRecords implements KeyRecords {
  constructor(private readonly service: KeyService) {}

  async find(ids: readonly string[]): Promise<Map<string, KeyState>> {
    const { keys: found } = await this.service.findKeys({ ids: [...ids] });
    return new Map(found.map((state) => [state.id, stateOf(state)]));
  }

  async add(record: KeyRecord): Promise<KeyState> {
    const { key } = await this.service.addKey({ key: record });
    return key ? stateOf(key) : 'destroyed';
  }

  async destroy(id: string): Promise<void> {
    await this.service.destroyKey({ id });
  }
}

const stateMessage = (id: string, state: KeyState): keys.KeyState => ({ id, ...(state !== 'destroyed' && { key: state }) });
const stateOf = ({ key }: keys.KeyState): KeyState => key ?? 'destroyed';
