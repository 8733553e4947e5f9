/** The package has no types: lists of words by the language's name in ISO 639-3. */
declare module 'stopword';
