/** Templates for events: * is the name, # the hashtag. */
export const remarks: Readonly<Record<string, ReadonlyArray<string>>> = {
  en: [
    "Watching “*” closely. #",
    "New on the board: * #",
    "Hot take: the market has “*” wrong 🤔",
    "Volume is picking up on “*” 📈 #",
    "Anyone else following “*”? #",
    "BREAKING: fresh reporting on “*” #",
    "Still cannot believe the move in “*” 😮",
    "My model & my gut disagree on “*”. #",
  ],
  de: ["EIL: Neues zu „*“ #", "Was spricht für „*“, was dagegen? Die Übersicht #"],
  fr: ["On suit de près « * » ⚡ #", "Ce qu’il faut savoir sur « * » #"],
  es: ["Última hora sobre «*» #", "¿Qué opinan de «*»? 👀 #"],
  pt: ["De olho em “*” 👀 #", "O que se sabe sobre “*” #"],
}

/** Appended to long posts. */
export const elaboration =
  "Here is how I think about it. First, the base rate: things like this happen less often than people remember. Second, the last trader knows most, so I look at late prices, not at early ones. Third, liquidity is thin outside of US hours, and a single large order moves the price by points. I will update this when there is more to say."

export const pricePhrases: Readonly<Record<string, ReadonlyArray<string>>> = {
  en: [
    "$* at ^ 🚀 #",
    "# now ^ (~ in an hour)",
    "$* ^, ~ on the hour. Funding looks calm.",
    "Funny how # sits at ^ and nobody talks about it",
  ],
  pt: ["$* em ^ 🚀 #", "# agora: ^ (~ em uma hora)"],
}

export const scorePhrases: Readonly<Record<string, ReadonlyArray<string>>> = {
  en: ["⏱ * | ^ #", "Score update: * (^) #", "What a game! * ^ #"],
  fr: ["Le score : * (^) #"],
  es: ["Marcador: * (^) #"],
}

export const reactions: ReadonlyArray<string> = [
  "source?",
  "Not sure about that. The odds say otherwise.",
  "This. 💯",
  "no chance 😂",
  "Agree, and the volume confirms it 📊",
  "Bookmarking this one",
  "You said the same last week…",
  "Interesting, thanks for sharing 🙏",
]
