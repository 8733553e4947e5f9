import { S3Playground } from '../../../test/s3-playground.js';
import { describeMediaStoreContract } from '../../contract/index.js';

describeMediaStoreContract('S3MediaStore', async () => {
  const playground = new S3Playground();
  const connect = async () => playground.connect();
  return { store: await connect(), connect, countUnfinished: () => playground.countUnfinished(), dispose: () => playground.dispose() };
});
