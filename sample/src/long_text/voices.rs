//! The members of the circle, each in their own language and script.

/// Someone who speaks: some sentences to begin with, some to end on.
pub(super) struct Voice {
    pub(super) name: &'static str,
    pub(super) says: &'static [&'static str],
    pub(super) adds: &'static [&'static str],
}

/// What people draw in the margin: families and professions joined from several characters, flags made of letters and of
/// tags, skin tones, keycaps, letters beyond the first plane.
pub(super) const MARKS: &[&str] = &[
    "👨‍👩‍👧‍👦",
    "👩🏽‍🚀",
    "🧑🏿‍🤝‍🧑🏻",
    "🏳️‍🌈",
    "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    "🇨🇭🇯🇵🇳🇬",
    "1️⃣2️⃣",
    "❤️‍🔥",
    "🐻‍❄️",
    "🦉📚",
    "𝔉𝔢𝔯𝔯𝔶",
    "𓅓𓆣",
    "𠮷野家",
    "𝄞𝄢",
    "🫖☕",
    "👁️‍🗨️",
];

pub(super) const VOICES: &[Voice] = &[
    Voice {
        name: "Ilse",
        says: &[
            "I like the chapter in which nothing happens, because it happens so carefully.",
            "The aunt is the only one who reads the letters to the end, and she pays for it.",
            "I read this on the train and missed my stop by two harbours.",
            "Whoever wrote the weather in this book has been cold.",
        ],
        adds: &[
            "I would lend it to an enemy.",
            "My tea has gone cold, which is praise.",
            "I have no theory, only a draught.",
        ],
    },
    Voice {
        name: "Dov",
        says: &[
            "הספר מתחיל בסוף, וזה בסדר גמור.",
            "שלוש פעמים קראתי את העמוד הזה, ובכל פעם ירד בו גשם אחר.",
            "הגיבורה שותקת (12 עמודים!) ואז אומרת הכול.",
            "אני חושב שהמעבורת היא הדמות הראשית.",
        ],
        adds: &["שָׁלוֹם לכל השחפים.", "נמשיך בפעם הבאה.", "מי לקח את הכוס שלי?"],
    },
    Voice {
        name: "Haruka",
        says: &[
            "この本は潮の満ち引きのように、行っては戻ってくる。",
            "百ページ目でやっと雨がやみ、みんなが少し笑った。",
            "主人公の沈黙がいちばん雄弁だと思います。",
            "ガ行の音が多くて、声に出すと波のようです。が、が、が。",
        ],
        adds: &["次は推理小説にしましょう。", "お茶がおいしい。", "続きは来月の船で。"],
    },
    Voice {
        name: "Mei",
        says: &[
            "我喜欢那一章：渡船停在雾里，谁也不说话。",
            "作者写盐写得太好了，我读完就口渴。",
            "第七章的月亮和第九章的月亮不是同一个月亮。",
            "𠀀𠀁这两个字，我查了三本字典才找到。",
        ],
        adds: &["下次我带点心。", "慢慢读，不着急。", "风大了，进舱吧。"],
    },
    Voice {
        name: "Samira",
        says: &[
            "أحببتُ البحر في هذا الكتاب أكثر من الناس.",
            "القبطان يكذب في الصفحة ٤٢، ثم يعتذر للنورس.",
            "كل فصل مثل نافذة، وبعض النوافذ مكسورة.",
            "قرأته بصوت عالٍ فسكت المحرّك.",
        ],
        adds: &["أريد جريمة في الكتاب القادم.", "الشاي من فضلكم.", "إلى اللقاء على السطح."],
    },
    Voice {
        name: "Aurelio",
        says: &[
            "El capitán miente como mienten los buenos pescadores: por cariño.",
            "¿Y si la niebla fuera la que cuenta la historia?",
            "Subrayé tantas frases que el libro parece un campo arado.",
            "La mañana de la página noventa huele a pan y a cuerda mojada.",
        ],
        adds: &["Otro café, por favor.", "No estoy de acuerdo, pero me encanta.", "Mañana lo leo otra vez."],
    },
    Voice {
        name: "Pálína",
        says: &[
            "Það er ekkert að gerast í þessari bók og það er gott.",
            "Höfundurinn þekkir þokuna eins og systur sína.",
            "Ég las síðasta kaflann fyrst og sé ekki eftir því.",
            "Sjórinn er alltaf að hlusta á okkur, líka núna.",
        ],
        adds: &["Ég vissi þetta allan tímann.", "Kaffið er búið.", "Góða nótt, ferja."],
    },
    Voice {
        name: "Teodor",
        says: &[
            "Книга тихая, как лодка без вёсел.",
            "Я не плакал, это был ветер с реки.",
            "Хуже всего в ней начало, лучше всего — пауза перед концом.",
            "Тётя права, но об этом никто не узнает.",
        ],
        adds: &["Мне понравилось, только никому не говорите.", "Пора домой.", "Ещё одну главу, и всё."],
    },
    Voice {
        name: "Anoush",
        says: &[
            "Այս գիրքը աղի համ ունի։",
            "Ես կարդացի ութսունութերորդ էջը բարձրաձայն։",
            "Գետը բոլորից լավ է լսում։",
            "Ամեն գլուխ մի փոքրիկ կամուրջ է։",
        ],
        adds: &["Շնորհակալություն։", "Վաղը նորից կկարդամ։", "Թեյը պատրաստ է։"],
    },
    Voice {
        name: "Kavya",
        says: &[
            "यह किताब धीरे-धीरे खुलती है, जैसे कोहरे में घाट।",
            "मुझे क्षमा वाला अध्याय सबसे अच्छा लगा।",
            "नाविक की हँसी पूरे पन्ने पर फैल जाती है।",
            "दूसरी बार पढ़ने पर नदी बदल गई।",
        ],
        adds: &["चाय और हो जाए?", "अगली बार कविता पढ़ेंगे।", "मैं सहमत हूँ, लगभग।"],
    },
    Voice {
        name: "Ngozi",
        says: &[
            // Written with combining marks throughout, several to a letter.
            "I\u{301}we\u{301} a\u{300} di\u{323} nwayo\u{323}o\u{323} dika mmiri.",
            "O\u{323}nu\u{323} mmiri na-ekwu okwu n'akwu\u{323}kwo\u{323} a.",
            "The cafe\u{301} scene is nai\u{308}ve and I adore it, co\u{302}te\u{301} and all.",
            "Q\u{307}\u{323} is a letter nobody needs, and the printer had one.",
        ],
        adds: &[
            "Ka o\u{323} di\u{323}.",
            "Daalu\u{323} nu\u{323}.",
            "Re\u{301}sume\u{301} at the next pier.",
        ],
    },
    Voice {
        name: "Eleni",
        says: &[
            "Ο Σίσυφος θα ήθελε αυτό το πορθμείο.",
            "Η θάλασσα εδώ έχει πάντα δίκιο.",
            "Διάβασα το τέλος τρεις φορές και άλλαξε δύο.",
            "ΟΔΟΣ, λέει η πινακίδα, και ο δρόμος τελειώνει στο νερό.",
        ],
        adds: &["Στην υγειά μας.", "Ας μείνουμε λίγο ακόμα.", "Καληνύχτα, γλάροι."],
    },
    Voice {
        name: "Min-seo",
        says: &[
            "안개 속에서 배가 책장을 넘기는 소리가 났어요.",
            "주인공보다 주전자가 더 기억에 남아요.",
            "이 문장은 소리 내어 읽어야 해요.",
            "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af} 자모로 풀어 쓰면 더 길어 보여요.",
        ],
        adds: &["다음 달에 또 만나요.", "커피 한 잔 더요.", "저는 끝까지 읽을 거예요."],
    },
    Voice {
        name: "Lothar",
        says: &[
            "Der Nebel auf Seite dreißig ist der beste, den ich je gelesen habe.",
            "Straße, Strasse, STRAẞE: im Buch steht alles drei, und keiner hat's gemerkt.",
            "Die Tante schweigt über Bücher wie andere über Geld.",
            "Ich übe noch, langsam zu lesen; schön ist es schon.",
        ],
        adds: &["Noch ein Kapitel, dann Suppe.", "Mir hat's gefallen.", "Wer hat die Brille gesehen?"],
    },
    Voice {
        name: "İpek",
        says: &[
            "Iğdır'dan İzmir'e kadar böyle bir vapur yok.",
            "Kitabın ışığı sabahları daha iyi.",
            "Şu martı her bölümde var, saydım.",
            "Yazar suyu dinlemiş, belli.",
        ],
        adds: &["Çay var mı?", "Bir daha okurum.", "İyi geceler, iskele."],
    },
    Voice {
        name: "Somchai",
        says: &[
            "หนังสือเล่มนี้ไม่มีช่องว่างเหมือนแม่น้ำที่ไม่มีประตู",
            "กัปตันยิ้มแค่ครั้งเดียวแต่ยิ้มนานมาก",
            "ฉันชอบตอนที่ทุกคนฟังเสียงฝน",
            "น้ำขึ้นแล้วลงแล้วขึ้นอีกในหน้าเดียว",
        ],
        adds: &["ขอชาอีกแก้ว", "เจอกันเดือนหน้า", "ลมเย็นดี"],
    },
];
