import { OpenSearchPlayground } from '../../test/opensearch-playground.js';
import { CONTRACT_DIMENSIONS, describeSearchIndexContract } from '../contract/index.js';

describeSearchIndexContract('OpenSearchSearchIndex', () => OpenSearchPlayground.create({ dimensions: CONTRACT_DIMENSIONS }));
