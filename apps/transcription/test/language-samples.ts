export interface LanguageSample {
  tag: string;
  text: string;
  direction: 'ltr' | 'rtl';
  /** Whether its words are written without spaces. */
  isSpaceless: boolean;
  /** Characters of a caption's line. */
  lineChars: number;
}

const sample = (tag: string, text: string, rest: Partial<LanguageSample> = {}): LanguageSample => ({ tag, text, direction: 'ltr', isSpaceless: false, lineChars: 42, ...rest });

/** About twenty seconds of speech each, written for this test. */
export const LANGUAGE_SAMPLES: readonly LanguageSample[] = [
  sample('ar', 'مرحبا بكم في اجتماع اليوم. سنتحدث أولا عن الميزانية، ثم عن خطة التوظيف في العام القادم. هل لديكم أسئلة قبل أن نبدأ؟ لا أحد؟ إذن لنبدأ الآن.', { direction: 'rtl' }),
  sample('he', 'שלום לכולם וברוכים הבאים לפגישה של היום. קודם כול נדבר על התקציב, ואחר כך על תוכנית הגיוס לשנה הבאה. יש שאלות לפני שמתחילים? אין? אז נתחיל.', { direction: 'rtl' }),
  sample('zh', '大家好，欢迎参加今天的会议。我们先讨论明年的预算，然后再看看招聘计划。开始之前大家有什么问题吗？没有的话，我们现在就开始吧。', { isSpaceless: true, lineChars: 16 }),
  sample('ja', '皆さん、こんにちは。本日の会議へようこそ。まず来年の予算について話し合い、そのあとで採用計画を確認します。始める前に質問はありますか？なければ始めましょう。', { isSpaceless: true, lineChars: 16 }),
  sample('th', 'สวัสดีครับทุกคนยินดีต้อนรับสู่การประชุมวันนี้เราจะพูดคุยกันเรื่องงบประมาณก่อนแล้วค่อยดูแผนการจ้างงานในปีหน้ามีใครมีคำถามก่อนเริ่มไหมครับ', { isSpaceless: true }),
  sample('hi', 'नमस्ते, आज की बैठक में आपका स्वागत है। पहले हम बजट पर बात करेंगे, फिर अगले साल की भर्ती की योजना देखेंगे। शुरू करने से पहले कोई सवाल है? नहीं? तो चलिए शुरू करते हैं।'),
  sample('ru', 'Добрый день, рад видеть вас на сегодняшней встрече. Сначала обсудим бюджет, а потом план найма на следующий год. Есть ли вопросы, прежде чем мы начнём? Нет? Тогда начнём.'),
  sample('el', 'Καλημέρα σας και καλώς ήρθατε στη σημερινή συνάντηση. Πρώτα θα μιλήσουμε για τον προϋπολογισμό, και μετά για το σχέδιο προσλήψεων. Υπάρχουν ερωτήσεις πριν αρχίσουμε;'),
  sample('de', 'Guten Tag und willkommen zur heutigen Besprechung. Zuerst reden wir über den Haushalt, danach über die Einstellungen im nächsten Jahr. Gibt es Fragen, bevor wir beginnen? Keine?'),
  sample('es', 'Buenos días y bienvenidos a la reunión de hoy. Primero hablaremos del presupuesto, y después del plan de contratación. ¿Hay preguntas antes de empezar? ¿No? Entonces empecemos.'),
  sample('ko', '안녕하세요, 오늘 회의에 오신 것을 환영합니다. 먼저 예산에 대해 이야기하고, 그다음에 내년 채용 계획을 보겠습니다. 시작하기 전에 질문 있으십니까? 없으면 시작하겠습니다.', { lineChars: 16 }),
  sample('tr', 'İyi günler, bugünkü toplantıya hoş geldiniz. Önce bütçeyi konuşacağız, sonra gelecek yılın işe alım planına bakacağız. Başlamadan önce sorunuz var mı? Yok mu? O zaman başlayalım.'),
];
