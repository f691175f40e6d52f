import { independent, rangeLabels, ranges } from "./shapes.ts"
import { afterDays, perDay, type Topic } from "./topic.ts"

const occasions = [
  { who: "the Fed Chair", where: "the press conference", tag: "fed" },
  { who: "the President", where: "the weekly address", tag: "us-politics" },
  { who: "the White House press secretary", where: "the briefing", tag: "us-politics" },
  { who: "the Prime Minister", where: "question time", tag: "world" },
  { who: "the CEO of Nvidia", where: "the earnings call", tag: "earnings-calls" },
  { who: "the CEO of Apple", where: "the earnings call", tag: "earnings-calls" },
  { who: "the ECB President", where: "the hearing", tag: "economy" },
  { who: "the mayor of New York", where: "the town hall", tag: "politics" },
]

const words =
  "inflation,recession,tariff,border,artificial intelligence,housing,energy,Bitcoin,crypto,China,Europe,unemployment,uncertainty,wages,debt,innovation,record,historic,resilience,deficit,supply chain,quantum,climate,infrastructure,healthcare,football".split(
    ",",
  )

const saying: Topic = {
  category: "mentions",
  count: perDay(0.9),
  endOf: afterDays(1, 6),
  weight: 0.6,
  describe: ({ dice, endText }) => {
    const { who, where, tag } = dice.pick(occasions)
    return {
      title: `What will ${who} say during ${where} on ${endText}?`,
      description: `A market resolves to "Yes" if ${who} says its word during ${where} on ${endText}. Plurals and possessives count, other compounds do not.`,
      tags: ["mention-markets", "speeches", tag],
      negRisk: false,
      markets: independent(
        dice,
        dice.sample(words, dice.between(8, 16)),
        (word) => `Will ${who} say "${word}" during ${where} on ${endText}?`,
      ),
    }
  },
}

const counting: Topic = {
  category: "mentions",
  count: perDay(0.3),
  endOf: afterDays(2, 7),
  weight: 0.5,
  describe: ({ dice, endText }) => {
    const { who, where, tag } = dice.pick(occasions)
    const word = dice.pick(words)
    return {
      title: `How often will ${who} say "${word}" during ${where} on ${endText}?`,
      description: `This market resolves by how often ${who} says "${word}" during ${where} on ${endText}. The official recording is the source.`,
      tags: ["mention-markets", "speeches", tag],
      negRisk: true,
      markets: ranges(
        dice,
        rangeLabels(2, 2, 6, " times"),
        (range) => `Will ${who} say "${word}" ${range} during ${where} on ${endText}?`,
      ),
    }
  },
}

export const mentions: ReadonlyArray<Topic> = [saying, counting]
