import type { Site } from "./sites.ts"

/** How a page presents its subject. */
export interface Headline {
  readonly title: (subject: string) => string
  readonly content: (subject: string) => string
}

const of = (title: string, content: string): Headline => ({
  title: (subject) => title.replace("*", () => subject),
  content: (subject) => content.replace("*", () => subject),
})

const english = {
  news: [
    of("*: what we know so far", "Officials and insiders describe where things stand with *. Our desk is following."),
    of("*: latest updates", "Live coverage. The latest on *, with reactions and the numbers that matter."),
    of("Five takeaways on *", "From the surprise to the shrug: five things the last days taught us about *."),
    of("Why * matters this week", "The calendar is full and eyes are on *. Here is why it counts."),
    of("* – analysts divided", "Some see momentum, others noise. What people who follow * for a living say."),
  ],
  analysis: [
    of(
      "*: a closer look at the odds",
      "We compare the forecasts for * with what markets imply and where they disagree.",
    ),
    of("Base rates and *", "How often did something like * happen before? A short note on reference classes."),
  ],
  forum: [
    of("Discussion: *", "Thread about *. 214 replies, newest: I would not read too much into it."),
    of("Anyone else following *?", "What is your view on *? Sources welcome, please stay civil."),
  ],
  betting: [of("* picks and predictions", "Our best bets for *, updated every hour. 18+, gamble responsibly.")],
}

const translated: Readonly<Record<string, ReadonlyArray<Headline>>> = {
  de: [of("*: Was wir bisher wissen", "Der Stand der Dinge zu * und die Reaktionen im Überblick.")],
  fr: [of("* : ce que l’on sait", "Le point sur * et les réactions de la journée.")],
  es: [of("*: todo lo que se sabe", "Las claves de * y las reacciones de la jornada.")],
  pt: [of("*: o que se sabe até agora", "Os últimos acontecimentos sobre * e as reações do dia.")],
}

export const headlines = ({ kind, language }: Site): ReadonlyArray<Headline> =>
  translated[language] ?? (kind === "reference" ? english.news : english[kind])
