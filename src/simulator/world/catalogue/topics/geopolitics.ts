import type { Dice } from "../../../random.ts"
import { byDates, exactlyOne, independent, single } from "./shapes.ts"
import { afterDays, monthEnd, monthEndsUntil, perDay, type Topic } from "./topic.ts"

const powers =
  "the US,China,India,Japan,Brazil,Canada,Mexico,Turkey,South Korea,Indonesia,Vietnam,Australia,Switzerland,Egypt,the EU,the UK".split(
    ",",
  )
const agreements =
  "a trade agreement,a tax treaty,a fisheries accord,a minerals deal,a visa-waiver agreement,an air-services deal".split(
    ",",
  )
const goods = "steel,cars,semiconductors,pharmaceuticals,lumber,copper,coffee,wine,solar panels".split(",")
const hosts = "Geneva,Doha,Vienna,Istanbul,Singapore,Oslo,Nairobi,Brussels,New York".split(",")

const pair = (dice: Dice): readonly [string, string] => {
  const [a = "", b = ""] = dice.sample(powers, 2)
  return [a, b]
}

const agreement: Topic = {
  category: "geopolitics",
  count: perDay(0.45),
  endOf: monthEnd(1, 5),
  weight: 2.5,
  describe: (context) => {
    const { dice } = context
    const [a, b] = pair(dice)
    const what = `${a} and ${b} sign ${dice.pick(agreements)}`
    return {
      title: `Will ${what} by...?`,
      description: `A market resolves to "Yes" if both governments have signed by its date. Ratification is not needed, an announcement is not enough.`,
      tags: ["geopolitics", "treaties", "foreign-policy", "world"],
      negRisk: false,
      markets: byDates(dice, monthEndsUntil(context, 4), (date) => `Will ${what} by ${date}?`),
    }
  },
}

const tariff: Topic = {
  category: "geopolitics",
  count: perDay(0.35),
  endOf: monthEnd(0, 3),
  weight: 2,
  describe: ({ dice, endText }) => {
    const [a, b] = pair(dice)
    const question = `Will ${a} impose new tariffs on ${dice.pick(goods)} from ${b} by ${endText}?`
    return {
      title: question,
      description: `This market resolves to "Yes" if the tariffs take effect by ${endText}, 11:59 PM ET. Tariffs that are announced but suspended do not count.`,
      tags: ["geopolitics", "tariffs", "trade-war", "economy"],
      negRisk: false,
      markets: single(dice, question),
    }
  },
}

const summitPlace: Topic = {
  category: "geopolitics",
  count: perDay(0.15),
  endOf: afterDays(30, 120),
  weight: 1.5,
  describe: ({ dice, endText }) => {
    const [a, b] = pair(dice)
    const groups = [...dice.sample(hosts, dice.between(4, 7)), "no place"]
    return {
      title: `Where will ${a} and ${b} hold their next summit?`,
      description: `This market resolves to the city of the next meeting of the two heads of government by ${endText}. If they do not meet by then, it resolves to "no place".`,
      tags: ["geopolitics", "diplomacy", "world"],
      negRisk: true,
      markets: exactlyOne(
        dice,
        groups,
        (place) => `Will ${a} and ${b} hold their next summit in ${place} by ${endText}?`,
      ),
    }
  },
}

const visits: Topic = {
  category: "geopolitics",
  count: perDay(0.25),
  endOf: monthEnd(0, 2),
  weight: 1.2,
  describe: ({ dice, endText }) => {
    const guest = dice.pick([
      "the UN Secretary-General",
      "the Pope",
      "the US Secretary of State",
      "the President of the EU Council",
    ])
    const countries = dice.sample(powers.slice(1), dice.between(4, 8))
    return {
      title: `Which countries will ${guest} visit by ${endText}?`,
      description: `A market resolves to "Yes" if ${guest} sets foot in it on an official visit by ${endText}. Stopovers at airports do not count.`,
      tags: ["geopolitics", "diplomacy", "foreign-policy"],
      negRisk: false,
      markets: independent(dice, countries, (country) => `Will ${guest} visit ${country} by ${endText}?`),
    }
  },
}

const resolution: Topic = {
  category: "geopolitics",
  count: perDay(0.2),
  endOf: afterDays(10, 60),
  weight: 1,
  describe: ({ dice, endText }) => {
    const subject = dice.pick([
      "water rights",
      "deep-sea mining",
      "autonomous weapons",
      "space debris",
      "plastics",
      "cyber crime",
    ])
    const question = `Will the UN General Assembly adopt a resolution on ${subject} by ${endText}?`
    return {
      title: question,
      description: `This market resolves to "Yes" if such a resolution is adopted in plenary by ${endText}, 11:59 PM ET. Committee votes do not count.`,
      tags: ["geopolitics", "united-nations", "world"],
      negRisk: false,
      markets: single(dice, question),
    }
  },
}

export const geopolitics: ReadonlyArray<Topic> = [agreement, tariff, summitPlace, visits, resolution]
