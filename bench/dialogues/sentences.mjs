/** Two sets of sentences of which no one is in the other: thresholds were chosen on one, what is reported is measured on the other. */
export const SETS = {
  tuning: {
    subjects: ['The committee', 'Our neighbour', 'My sister', 'The new director', 'A group of students', 'The old captain', 'Everyone in the village', 'The company'],
    verbs: ['has decided to sell', 'wanted to repair', 'is looking after', 'could not find', 'has written about', 'will open', 'forgot to pay for', 'plans to paint'],
    objects: ['the small boat', 'two houses near the river', 'the garden behind the church', 'a box of letters', 'the railway station', 'three tickets to the theatre', 'the broken window'],
    endings: ['before the end of the summer', 'because nobody else had the time', 'and that surprised all of us', 'with the help of a friend from Norway', 'without asking the others', ''],
    replies: ['Yes, I think so.', 'No, not at all.', 'That is true.', 'I see.', 'Really? When was that?', 'Of course.', 'Well, perhaps.', 'You are right about that.'],
    questions: ['What did they say about it?', 'How long will that take?', 'Do you know who is going to pay?', 'Why has nobody told me?', 'Where should we begin?'],
  },
  heldOut: {
    subjects: ['The engineers', 'Her grandfather', 'A young doctor', 'The football club', 'The mayor of the city', 'Some of the farmers', 'The museum', 'That journalist'],
    verbs: ['used to collect', 'is going to replace', 'has just published', 'was proud of', 'argued against', 'will never understand', 'managed to save', 'has been building'],
    objects: ['the wooden bridge', 'a dictionary of old words', 'the water supply', 'six hundred photographs', 'the longest tunnel in the country', 'an orchestra for children', 'the evening school'],
    endings: ['during the war', 'although it was raining', 'as far as I remember', 'in spite of the high price', 'and then moved to Canada', ''],
    replies: ['Exactly.', 'I doubt it.', 'Oh, that is wonderful news.', 'Go on, please.', 'Maybe next week.', 'Hmm, I am not sure.', 'Thank you.', 'That makes sense to me.'],
    questions: ['Could you explain that again?', 'Which of them was the first?', 'Has anybody checked the numbers?', 'When do we need the results?', 'Is there another way?'],
  },
};

/** Makes the sentences of one person's turn: now and then a reply or a question, else some sentences. */
export function turnSentences(set, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const kind = random();
  if (kind < 0.15) return [pick(set.replies)];
  if (kind < 0.25) return [pick(set.questions)];
  const sentences = Array.from({ length: 1 + Math.floor(random() * 4) }, () => `${pick(set.subjects)} ${pick(set.verbs)} ${pick(set.objects)} ${pick(set.endings)}`.trim() + '.');
  return kind < 0.4 ? [pick(set.replies), ...sentences] : sentences;
}
