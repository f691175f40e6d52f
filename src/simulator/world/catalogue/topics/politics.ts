import { aboveLevels, byDates, exactlyOne, rangeLabels, ranges, single } from "./shapes.ts"
import {
  afterDays,
  type Context,
  monthEnd,
  monthEndsUntil,
  onWeekday,
  perDay,
  randomPerson,
  samplePeople,
  type Topic,
} from "./topic.ts"

const states =
  "Arizona Colorado Georgia Iowa Kansas Maine Michigan Minnesota Nevada Ohio Oregon Pennsylvania Texas Virginia Wisconsin".split(
    " ",
  )
const cities =
  "Albuquerque,Atlanta,Boise,Charlotte,Cleveland,Denver,Houston,Memphis,Oakland,Omaha,Portland,Seattle,Tucson".split(
    ",",
  )
const countries =
  "Argentina,Austria,Belgium,Brazil,Bulgaria,Chile,Colombia,Croatia,Denmark,Ecuador,Finland,Ghana,Ireland,Japan,Kenya,Latvia,Norway,Peru,Poland,Portugal,Romania,Slovenia,Sweden,Uruguay".split(
    ",",
  )
const bills =
  "Clean Rivers Act,Rural Broadband Act,Housing Supply Act,Digital Privacy Act,Fair Tolls Act,Port Security Act,School Meals Act,Grid Reliability Act,Patent Reform Act,Farm Credit Act".split(
    ",",
  )
const posts = "State,Defense,Labor,Energy,Commerce,Transportation,the Interior,Agriculture,Education".split(",")

const races = [
  { place: states, office: (place: string) => `${place} gubernatorial`, tags: ["politics", "elections", "governor"] },
  {
    place: cities,
    office: (place: string) => `${place} mayoral`,
    tags: ["politics", "elections", "mayoral-elections"],
  },
  {
    place: countries,
    office: (place: string) => `${place} presidential`,
    tags: ["politics", "world-elections", "world"],
  },
]

const election: Topic = {
  category: "politics",
  count: perDay(0.45),
  endOf: afterDays(30, 170),
  weight: 4,
  describe: ({ dice, end }) => {
    const race = dice.pick(races)
    const name = `${end.year} ${race.office(dice.pick(race.place))} election`
    const running = [...samplePeople(dice, dice.between(4, 19)), "another candidate"]
    return {
      title: `Who will win the ${name}?`,
      description: `This market resolves to the candidate who wins the ${name}. If no winner is certified by the end date, it resolves by the consensus of credible reporting.`,
      tags: race.tags,
      negRisk: true,
      markets: exactlyOne(dice, running, (candidate) => `Will ${candidate} win the ${name}?`),
    }
  },
}

const partyWins: Topic = {
  category: "politics",
  count: perDay(0.25),
  endOf: afterDays(40, 150),
  weight: 3,
  describe: ({ dice, end }) => {
    const seat = `${dice.pick(states)} Senate seat in ${end.year}`
    return {
      title: `Which party will win the ${seat}?`,
      description: `This market resolves to the party of the winner of the ${seat}. Independents count as such even if they caucus with a party.`,
      tags: ["politics", "elections", "us-politics", "senate"],
      negRisk: true,
      markets: exactlyOne(
        dice,
        ["Democrats", "Republicans", "an independent"],
        (party) => `Will ${party} win the ${seat}?`,
      ),
    }
  },
}

const approval: Topic = {
  category: "politics",
  count: onWeekday(1),
  endOf: afterDays(11, 11),
  weight: 2,
  describe: ({ dice, endText }) => ({
    title: `Presidential approval rating on ${endText}?`,
    description: `This market resolves by the average approval rating published for ${endText}. If no figure is published within a week, the last one before it counts.`,
    tags: ["politics", "us-politics", "approval"],
    negRisk: true,
    markets: ranges(
      dice,
      rangeLabels(40 + dice.below(4), 1, 8, "%"),
      (range) => `Will the approval rating be ${range} on ${endText}?`,
    ),
  }),
}

const billPasses = (chamber: "House" | "Senate"): Topic => ({
  category: "politics",
  count: perDay(0.2),
  endOf: monthEnd(2, 5),
  weight: 1.5,
  describe: (context) => {
    const { dice } = context
    const bill = dice.pick(bills)
    return {
      title: `Will the ${chamber} pass the ${bill} by...?`,
      description: `A market resolves to "Yes" if the ${chamber} passes the ${bill} by its date. Amended versions count as long as they keep the bill's number.`,
      tags: ["politics", "us-politics", "congress", "legislation", chamber.toLowerCase()],
      negRisk: false,
      markets: byDates(dice, monthEndsUntil(context, 3), (date) => `Will the ${chamber} pass the ${bill} by ${date}?`),
    }
  },
})

const departure: Topic = {
  category: "politics",
  count: perDay(0.35),
  endOf: monthEnd(0, 3),
  weight: 1.5,
  describe: ({ dice, endText }) => {
    const question = `Will the Secretary of ${dice.pick(posts)} leave office by ${endText}?`
    return {
      title: question,
      description: `This market resolves to "Yes" if the office holder resigns, is dismissed or otherwise leaves by ${endText}, 11:59 PM ET. An announcement alone does not count.`,
      tags: ["politics", "us-politics", "cabinet"],
      negRisk: false,
      markets: single(dice, question),
    }
  },
}

const shutdown: Topic = {
  category: "politics",
  count: perDay(0.08),
  endOf: monthEnd(0, 2),
  weight: 4,
  describe: ({ dice, endText }) => {
    const question = `US government shutdown by ${endText}?`
    return {
      title: question,
      description: `This market resolves to "Yes" if funding lapses and agencies begin to shut down by ${endText}. A lapse that is mended before any agency closes does not count.`,
      tags: ["politics", "us-politics", "congress", "government-shutdown"],
      negRisk: false,
      markets: single(dice, question),
    }
  },
}

const voteShare: Topic = {
  category: "politics",
  count: perDay(0.15),
  endOf: afterDays(15, 90),
  weight: 1,
  describe: ({ dice, endText }: Context) => {
    const candidate = randomPerson(dice)
    const race = `${dice.pick(cities)} runoff on ${endText}`
    return {
      title: `${candidate} vote share in the ${race}?`,
      description: `Each market resolves to "Yes" if ${candidate} receives more than its share of the valid votes in the ${race}. Certified results are the source.`,
      tags: ["politics", "elections", "mayoral-elections"],
      negRisk: false,
      markets: aboveLevels(
        dice,
        [40, 44, 48, 52, 56, 60].map((share) => `${share}%`),
        (share) => `Will ${candidate} win more than ${share} in the ${race}?`,
      ),
    }
  },
}

export const politics: ReadonlyArray<Topic> = [
  election,
  partyWins,
  approval,
  billPasses("House"),
  billPasses("Senate"),
  departure,
  shutdown,
  voteShare,
]
