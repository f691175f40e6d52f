import type { Beat } from "./accounts.ts"

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

/** By the beat of the account. */
export const articleTitles: Readonly<Record<Beat, ReadonlyArray<string>>> = {
  crypto: [
    "What the funding rate does not tell you",
    "Liquidity & leverage: a field guide",
    "Who buys when price < cost",
  ],
  sports: ["Reading a line before it moves", "Rest days & road games: what the numbers say"],
  politics: ["How to read a poll that disagrees with the price", "Turnout, the quiet half of every forecast"],
  world: ["Why resolution rules matter more than headlines", "A short history of bad forecasts"],
}

/** Stands at the end of articles. */
export const articleUrl = "https://polymarket.com"

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
