import { monthName } from "../eastern.ts"
import { thousands } from "../text.ts"
import { aboveLevels, exactlyOne, rangeLabels, ranges, single } from "./shapes.ts"
import { afterDays, monthEnd, onDayOfMonth, onWeekday, perDay, type Topic } from "./topic.ts"

const companies = "Apple,Microsoft,Nvidia,Alphabet,Amazon,Meta,Tesla,Saudi Aramco,Broadcom,TSMC".split(",")

const fedDecision: Topic = {
  category: "economy",
  count: onDayOfMonth(1),
  endOf: (date, dice) => monthEnd(2, 2)(date, dice) - 11 * 86_400_000,
  weight: 40,
  describe: ({ dice, end }) => {
    const month = `${monthName(end.month)} ${end.year}`
    const moves = ["no change", "a 25 bps cut", "a 50+ bps cut", "a 25+ bps hike"]
    return {
      title: `Fed decision in ${monthName(end.month)}?`,
      description: `This market resolves by the change of the upper bound of the federal funds target range at the ${month} meeting. If no statement is published by the end of the month, it resolves to no change.`,
      tags: ["economy", "fed", "fed-rates", "finance"],
      negRisk: true,
      markets: exactlyOne(dice, moves, (move) => `Will the Fed decide on ${move} in ${month}?`),
    }
  },
}

const monthlyFigure = (
  created: number,
  name: string,
  tag: string,
  labels: (below: (n: number) => number) => ReadonlyArray<string>,
): Topic => ({
  category: "economy",
  count: onDayOfMonth(created),
  endOf: afterDays(28, 28),
  weight: 3,
  describe: ({ dice, createdOn }) => {
    const month = `${monthName(createdOn.month)} ${createdOn.year}`
    return {
      title: `${name} in ${month}?`,
      description: `This market resolves by the first official release of ${name} for ${month}. Later revisions do not count.`,
      tags: ["economy", "finance", tag],
      negRisk: true,
      markets: ranges(
        dice,
        labels((n) => dice.below(n)),
        (range) => `Will ${name} be ${range} in ${month}?`,
      ),
    }
  },
})

/** Where a quoted thing will close on Friday. */
const closesAbove = (
  name: string,
  tags: ReadonlyArray<string>,
  level: (i: number, shift: number) => string,
): Topic => ({
  category: "economy",
  count: onWeekday(6),
  endOf: afterDays(6, 6),
  weight: 2,
  describe: ({ dice, endText }) => {
    const shift = dice.below(9)
    return {
      title: `${name} closes above ___ on ${endText}?`,
      description: `A market resolves to "Yes" if the official close of ${name} on ${endText} is above its level. If there is no session on that day, the last one before it counts.`,
      tags: ["economy", "finance", ...tags],
      negRisk: false,
      markets: aboveLevels(
        dice,
        Array.from({ length: 8 }, (_, i) => level(i, shift)),
        (above) => `Will ${name} close above ${above} on ${endText}?`,
      ),
    }
  },
})

const largestCompany: Topic = {
  category: "economy",
  count: onDayOfMonth(3),
  endOf: monthEnd(0, 0),
  weight: 8,
  describe: ({ dice, endText }) => ({
    title: `Largest company on ${endText}?`,
    description: `This market resolves to the company with the largest market capitalization at the close of ${endText}. All share classes count together.`,
    tags: ["economy", "stocks", "big-tech", "business"],
    negRisk: true,
    markets: exactlyOne(
      dice,
      dice.sample(companies, dice.between(6, 10)),
      (company) => `Will ${company} be the largest company on ${endText}?`,
    ),
  }),
}

const statements = [
  "a US recession be declared",
  "the 30-year mortgage rate fall below 6%",
  "the 10-year Treasury yield rise above 5%",
  "US gas prices rise above $3.50",
  "a large US bank fail",
  "the ECB cut its deposit rate",
  "the Bank of Japan raise its rate",
  "the US credit rating be lowered",
]

const statement: Topic = {
  category: "economy",
  count: perDay(0.45),
  endOf: monthEnd(0, 5),
  weight: 1.5,
  describe: ({ dice, endText }) => {
    const question = `Will ${dice.pick(statements)} by ${endText}?`
    return {
      title: question,
      description: `This market resolves to "Yes" if that happens between its creation and ${endText}, 11:59 PM ET. Official publications are the primary source.`,
      tags: ["economy", "finance", "business"],
      negRisk: false,
      markets: single(dice, question),
    }
  },
}

export const economy: ReadonlyArray<Topic> = [
  fedDecision,
  monthlyFigure(14, "annual US inflation", "inflation", (below) => rangeLabels(2.3 + below(6) / 10, 0.1, 9, "%", 1)),
  monthlyFigure(7, "the US unemployment rate", "jobs-report", (below) =>
    rangeLabels(3.9 + below(4) / 10, 0.1, 7, "%", 1),
  ),
  closesAbove("the S&P 500", ["stocks"], (i, shift) => thousands(6300 + shift * 50 + i * 50)),
  closesAbove("gold", ["commodities", "gold"], (i, shift) => `$${thousands(3900 + shift * 25 + i * 50)}`),
  closesAbove(
    "the US gas price",
    ["commodities", "gas-prices"],
    (i, shift) => `$${(2.9 + shift / 100 + i * 0.02).toFixed(2)}`,
  ),
  largestCompany,
  statement,
]
