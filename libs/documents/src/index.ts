/** The renderers are loaded by the threads that use them: PDFKit and the fonts take 50 MB. */
export * from './content/document-content.js';
export { documentTemplateProblem, MAX_TEMPLATE_LENGTH } from './markdown/document-template.js';
export * from './worker/document-writer.js';
