import { EmbeddedPlayground } from '../../test/embedded-playground.js';
import { CONTRACT_DIMENSIONS, describeSearchIndexContract } from '../contract/index.js';

describeSearchIndexContract('SqliteSearchIndex', () => EmbeddedPlayground.create(CONTRACT_DIMENSIONS));
