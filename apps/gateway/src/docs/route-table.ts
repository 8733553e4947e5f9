import { listEvents } from '../account-events/account-event-operations.js';
import { deleteAccountExport, downloadAccountExport, exportAccount, getAccountExport } from '../account-exports/account-export-operations.js';
import { deleteAccount, getAccount, getAccountErasure, restoreAccount } from '../accounts/account-operations.js';
import { liftLegalHold, setLegalHold } from '../holds/legal-hold-operations.js';
import { getDelivery, getWebhookSecret, listAccountDeliveries, listDeliveries, redeliver, rotateWebhookSecret } from '../deliveries/delivery-operations.js';
import { ENDPOINT_OPERATIONS } from '../deliveries/endpoint-operations.js';
import { REDELIVERY_OPERATIONS } from '../deliveries/redelivery-operations.js';
import { editSegment, editSegments, getRevision, getSegment, listRevisions, replaceText, restoreRevision } from '../editing/editing-operations.js';
import { cancelBatch, createBatch, getBatch, listBatches, listBatchItems } from '../batches/batch-operations.js';
import { createExport } from '../exports/export-operations.js';
import { streamEvents } from '../event-streams/event-stream-operations.js';
import { createLive, createLiveToken, endLive, getLive, streamLive } from '../live/live-operations.js';
import type { Operation } from '../http/operation.js';
import { getServer } from '../info/info-operations.js';
import { createKey, deleteKey, getKey, listKeys, rotateKey, updateKey } from '../keys/key-operations.js';
import { listLanguages, listModels } from '../languages/language-operations.js';
import { createProject, deleteProject, getProject, listProjects, updateProject } from '../projects/project-operations.js';
import { getClip, getMedia, getWaveform } from '../recordings/recording-operations.js';
import { createLink, deleteLink, listLinks, openLink } from '../links/link-operations.js';
import { signUp, verifySignup } from '../signup/signup-operations.js';
import { listSpeakers, mergeSpeakers, renameSpeaker } from '../speakers/speaker-operations.js';
import {
  cancelTranscription,
  createTranscription,
  deleteTranscription,
  getErasure,
  getTranscription,
  listErasures,
  listTranscriptions,
  orderAddOns,
  retryTranscription,
  updateTranscription,
} from '../transcriptions/transcription-operations.js';
import { askTranscript, askTranscripts, deleteConversation, deleteTranscriptConversation, getConversation, getTranscriptConversation, listConversations } from '../chat/chat-operations.js';
import { searchTranscripts } from '../search/search-operations.js';
import { createTranslation, getTranslation } from '../translations/translation-operations.js';
import { appendToUpload, completeUpload, createDirectUpload, createUpload, deleteUpload, getUpload, listUploads } from '../uploads/stored/upload-operations.js';
import { createSummary, deleteSummary, getChapters, getEntities, getHighlights, getOneSummary, getSummary, listSummaries } from '../summaries/summary-operations.js';
import { createToken, deleteToken, listTokens } from '../tokens/token-operations.js';
import { createVocabulary, deleteVocabulary, getVocabulary, listVocabularies, updateVocabulary } from '../vocabularies/vocabulary-operations.js';
import { listAudit } from '../audit/audit-operations.js';
import { getUsage } from '../usage/usage-operations.js';
import { findWords, listParagraphs, listSentences } from '../transcripts/reading-operations.js';
import { listMediaKeys } from '../transcriptions/media-key-operations.js';
import { getSealedResult } from '../transcriptions/sealed-result-operation.js';
import { exportTranscript, getTranscript } from '../transcripts/transcript-operations.js';

/** Every operation of the public API, in the order of its description. */
export const ROUTE_TABLE: readonly Operation[] = [
  createTranscription,
  getTranscription,
  listTranscriptions,
  updateTranscription,
  cancelTranscription,
  retryTranscription,
  orderAddOns,
  deleteTranscription,
  getMedia,
  getClip,
  getWaveform,
  createLink,
  listLinks,
  deleteLink,
  openLink,
  listErasures,
  getErasure,
  createBatch,
  listBatches,
  getBatch,
  listBatchItems,
  cancelBatch,
  createUpload,
  createDirectUpload,
  completeUpload,
  listUploads,
  getUpload,
  appendToUpload,
  deleteUpload,
  listMediaKeys,
  streamEvents,
  createLive,
  getLive,
  createLiveToken,
  streamLive,
  endLive,
  getTranscript,
  exportTranscript,
  getSealedResult,
  listSentences,
  listParagraphs,
  findWords,
  createExport,
  getSegment,
  editSegment,
  editSegments,
  replaceText,
  listRevisions,
  getRevision,
  restoreRevision,
  listSpeakers,
  renameSpeaker,
  mergeSpeakers,
  getSummary,
  createSummary,
  listSummaries,
  getOneSummary,
  deleteSummary,
  getHighlights,
  getChapters,
  getEntities,
  createTranslation,
  getTranslation,
  searchTranscripts,
  askTranscript,
  askTranscripts,
  listConversations,
  getConversation,
  deleteConversation,
  getTranscriptConversation,
  deleteTranscriptConversation,
  listLanguages,
  listModels,
  listVocabularies,
  createVocabulary,
  getVocabulary,
  updateVocabulary,
  deleteVocabulary,
  listDeliveries,
  listAccountDeliveries,
  getDelivery,
  redeliver,
  listEvents,
  getWebhookSecret,
  rotateWebhookSecret,
  ...ENDPOINT_OPERATIONS,
  ...REDELIVERY_OPERATIONS,
  listKeys,
  createKey,
  getKey,
  updateKey,
  deleteKey,
  rotateKey,
  createProject,
  listProjects,
  getProject,
  updateProject,
  deleteProject,
  createToken,
  listTokens,
  deleteToken,
  signUp,
  verifySignup,
  getAccount,
  deleteAccount,
  restoreAccount,
  getAccountErasure,
  exportAccount,
  getAccountExport,
  downloadAccountExport,
  deleteAccountExport,
  setLegalHold,
  liftLegalHold,
  getUsage,
  listAudit,
  getServer,
];
