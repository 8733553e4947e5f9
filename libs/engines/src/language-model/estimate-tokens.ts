/** Of the tokenizers in use, none takes more: English has four characters a token, other alphabets two, Chinese often one. */
const ASCII_PER_TOKEN = 3;
const TOKENS_PER_OTHER = 1.2;

/** An upper estimate for any model, since each has a tokenizer of its own and servers do not tell which. */
export function estimateTokens(text: string): number {
  let ascii = 0;
  let others = 0;
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) < 128) ascii++;
    else others++;
  }
  return Math.ceil(ascii / ASCII_PER_TOKEN + others * TOKENS_PER_OTHER);
}
