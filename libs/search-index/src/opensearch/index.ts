export { checkSearchServer, migrateSearchIndex, purgeSearchIndex, reindexSearchIndex, type IndexCommandOptions, type MigrationReport, type ReindexReport } from './index-migration.js';
