import { MemoryDataKeys } from '../../../test/memory-data-keys.js';
import { S3Playground } from '../../../test/s3-playground.js';
import { describeMediaStoreContract } from '../../contract/index.js';
import { SealedMediaStore } from './sealed-media-store.js';

describeMediaStoreContract('SealedMediaStore on S3MediaStore', async () => {
  const playground = new S3Playground();
  const keys = new MemoryDataKeys();
  const connect = async () => new SealedMediaStore(playground.connect(), keys);
  return { store: await connect(), connect, countUnfinished: () => playground.countUnfinished(), dispose: () => playground.dispose() };
});
