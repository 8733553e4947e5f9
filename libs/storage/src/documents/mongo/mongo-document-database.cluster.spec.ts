import { MongoPlayground } from '../../../test/mongo-playground.js';
import { describeDocumentDatabaseContract } from '../../contract/index.js';

describeDocumentDatabaseContract('MongoDocumentDatabase', async () => {
  const playground = new MongoPlayground();
  const connect = async () => playground.connect();
  return { database: await connect(), connect, dispose: () => playground.dispose() };
});
