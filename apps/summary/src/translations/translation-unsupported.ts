import { AppError } from '@parlance/platform';

/** @param language into which the configured model does not translate; undefined: no model is configured */
export const translationUnsupported = (language?: string): AppError =>
  new AppError({
    code: 'translation_unsupported',
    message: language === undefined ? 'This server has no language model, and its built-in engine does not translate.' : `The language model of this server does not translate into '${language}'.`,
  });
