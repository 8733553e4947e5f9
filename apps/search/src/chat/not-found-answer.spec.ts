import { describe, expect, it } from '@jest/globals';
import { notFoundAnswer } from './not-found-answer.js';

describe('the answer that there is none', () => {
  it.each([
    ['What did they decide about the roof?', 'I did not find an answer in the transcripts.'],
    ['Was haben sie über das Dach beschlossen?', 'In den Transkripten habe ich keine Antwort gefunden.'],
    ['Qu’est-ce qu’ils ont décidé pour le toit ?', 'Je n’ai pas trouvé de réponse dans les transcriptions.'],
    ['¿Qué han decidido sobre el tejado?', 'No he encontrado una respuesta en las transcripciones.'],
    ['O que é que eles decidiram sobre o telhado?', 'Não encontrei uma resposta nas transcrições.'],
    ['Wat hebben ze over het dak besloten?', 'Ik heb in de transcripties geen antwoord gevonden.'],
    ['Что решили по поводу крыши?', 'В расшифровках нет ответа на этот вопрос.'],
    ['Що вирішили щодо даху і їхніх меж?', 'У розшифровках немає відповіді на це запитання.'],
    ['屋根について何が決まりましたか。', '文字起こしの中に答えは見つかりませんでした。'],
    ['关于屋顶决定了什么？', '在转写文本中没有找到答案。'],
    ['Parlance?', 'I did not find an answer in the transcripts.'],
  ])('is in the language of the question: %s', async (question, answer) => {
    expect(await notFoundAnswer(question)).toBe(answer);
  });
});
