/**
 * Texts and their pieces as the tokenizer of all-MiniLM-L6-v2 gives them (`tokenizer.json` read by tokenizers 0.21.4, without
 * special tokens), less what the table leaves out: unknown words and ideographs.
 */
export const BERT_PIECES: readonly (readonly [text: string, pieces: string])[] = [
  ["The budget is too small for two hires.", "the budget is too small for two hires ."],
  ["We can't afford another engineer!", "we can ' t afford another engineer !"],
  ["Unaffordable, unbelievably over-engineered antidisestablishmentarianism", "una ##ff ##ord ##able , un ##bel ##ie ##va ##bly over - engineered anti ##dis ##est ##ab ##lish ##ment ##arian ##ism"],
  ["na\u00efve caf\u00e9 Z\u00fcrich \u00c5ngstr\u00f6m S\u00e3o Paulo", "naive cafe zurich ang ##strom sao paulo"],
  ["HELLO World iPhone USB-C", "hello world iphone usb - c"],
  ["$3.50 + 20% = 4.20 <ok> a^b `code` x|y ~z", "$ 3 . 50 + 20 % = 4 . 20 < ok > a ^ b ` code ` x | y ~ z"],
  ["e-mail: ada@example.com, https://example.com/a?b=c", "e - mail : ada @ example . com , https : / / example . com / a ? b = c"],
  ["\tTabs\nand\r\nlines  ", "tab ##s and lines"],
  ["zero\u200bwidth and soft\u00adhyphen", "zero ##wi ##dt ##h and soft ##hy ##ph ##en"],
  ["control\u0001chars", "control ##cha ##rs"],
  ["1,000,000 in 2026-11-21", "1 , 000 , 000 in 202 ##6 - 11 - 21"],
  ["don\u2019t \u201cquote\u201d \u2013 dash \u2014 em\u2026 ellipsis", "don \u2019 t \u201c quote \u201d \u2013 dash \u2014 em \u2026 el ##lip ##sis"],
  ["\u0130stanbul and stra\u00dfe", "istanbul and st ##ra\u00dfe"],
  [`${'x'.repeat(101)} end`, 'end'],
  [`${'y'.repeat(100)} end`, `y ${'##y '.repeat(99)}end`],
  ["tokyo \u6771\u4eac tower", "tokyo tower"],
  ["non\u00a0breaking\u3000space", "non breaking space"],
  ["C++ and C# or F#", "c + + and c # or f #"],
  ["Mr. O'Neill's co-op", "mr . o ' neill ' s co - op"],
  ["\u20ac20 or \u00a315", "\u20ac ##20 or \u00a31 ##5"],
  ["kubernetes grpc opensearch", "ku ##ber ##net ##es gr ##pc opens ##ear ##ch"],
  ["  ", ""],
  ["A", "a"],
  ["co\u0301mbined acce\u0301nts", "combined accents"],
];
