import { monthName } from "../eastern.ts"
import { byDates, exactlyOne, rangeLabels, ranges, single } from "./shapes.ts"
import { afterDays, monthEnd, monthEndsUntil, onDayOfMonth, onWeekday, perDay, type Topic } from "./topic.ts"

const labs = "OpenAI,Google,Anthropic,xAI,Meta,DeepSeek,Mistral,Alibaba".split(",")
const products =
  "a foldable phone,a new flagship model,smart glasses,a home robot,an AI pin,a mixed-reality headset,a quantum chip,an electric van".split(
    ",",
  )
const makers = "Apple,Google,Samsung,Meta,Amazon,Microsoft,Tesla,Sony,Xiaomi,Nvidia".split(",")
const startups =
  "Northwind Robotics,Lumina Labs,Harbor AI,Quillstack,Brightforge,Orbital Works,Tessera Health,Copperline".split(",")
const apps = "ChatGPT,Threads,Gemini,TikTok,Temu,Claude,CapCut,WhatsApp,Google Maps".split(",")

const bestModel: Topic = {
  category: "tech",
  count: onDayOfMonth(2),
  endOf: monthEnd(0, 0),
  weight: 15,
  describe: ({ dice, end }) => {
    const month = `${monthName(end.month)} ${end.year}`
    return {
      title: `Which company has the best AI model at the end of ${monthName(end.month)}?`,
      description: `This market resolves to the company whose model leads the text leaderboard at the end of ${month}. Ties resolve by the alphabet.`,
      tags: ["tech", "ai", "big-tech"],
      negRisk: true,
      markets: exactlyOne(
        dice,
        dice.sample(labs, 7),
        (lab) => `Will ${lab} have the best AI model at the end of ${month}?`,
      ),
    }
  },
}

const release: Topic = {
  category: "tech",
  count: perDay(0.4),
  endOf: monthEnd(1, 5),
  weight: 1.5,
  describe: (context) => {
    const { dice } = context
    const what = `${dice.pick(makers)} release ${dice.pick(products)}`
    return {
      title: `Will ${what} by...?`,
      description: `A market resolves to "Yes" if the product can be bought or used by the public by its date. An announcement without availability does not count.`,
      tags: ["tech", "big-tech", "ai"],
      negRisk: false,
      markets: byDates(dice, monthEndsUntil(context, 3), (date) => `Will ${what} by ${date}?`),
    }
  },
}

const goesPublic: Topic = {
  category: "tech",
  count: perDay(0.25),
  endOf: monthEnd(1, 5),
  weight: 1,
  describe: ({ dice, endText }) => {
    const question = `Will ${dice.pick(startups)} go public by ${endText}?`
    return {
      title: question,
      description: `This market resolves to "Yes" if the company's shares begin to trade on a US exchange by ${endText}. A filing alone does not count.`,
      tags: ["tech", "ipos", "business"],
      negRisk: false,
      markets: single(dice, question),
    }
  },
}

const launches: Topic = {
  category: "tech",
  count: onDayOfMonth(4),
  endOf: monthEnd(0, 0),
  weight: 2,
  describe: ({ dice, end }) => {
    const month = `${monthName(end.month)} ${end.year}`
    return {
      title: `How many SpaceX launches in ${month}?`,
      description: `This market resolves by the number of orbital launches in ${month}. A launch counts once the rocket has left the pad, whatever becomes of it.`,
      tags: ["tech", "space"],
      negRisk: true,
      markets: ranges(
        dice,
        rangeLabels(9, 2, 7, " launches"),
        (range) => `Will there be ${range} by SpaceX in ${month}?`,
      ),
    }
  },
}

const topApp: Topic = {
  category: "tech",
  count: onWeekday(5),
  endOf: afterDays(7, 7),
  weight: 1.5,
  describe: ({ dice, endText }) => ({
    title: `Number one free app on ${endText}?`,
    description: `This market resolves to the app that leads the free chart of the US App Store at noon ET on ${endText}. If the chart is unavailable, the next one published counts.`,
    tags: ["tech", "apps", "ai"],
    negRisk: true,
    markets: exactlyOne(
      dice,
      [...dice.sample(apps, 6), "another app"],
      (app) => `Will ${app} be the number one free app on ${endText}?`,
    ),
  }),
}

export const tech: ReadonlyArray<Topic> = [bestModel, release, goesPublic, launches, topApp]
