import type { Dice } from "../../../random.ts"
import { aboveLevels, exactlyOne, rangeLabels, ranges, single } from "./shapes.ts"
import { afterDays, onWeekday, perDay, randomPerson, samplePeople, type Topic } from "./topic.ts"

const adjectives = "Silent,Crimson,Last,Hollow,Golden,Distant,Broken,Hidden,Paper,Midnight,Northern,Borrowed".split(",")
const nouns = "Harbor,Kingdom,Letters,Orchard,Signal,Tide,Garden,Empire,Mirror,Winter,Lantern,Road".split(",")
const prizes =
  "Best Picture,Best Director,Album of the Year,Song of the Year,Best Drama Series,Novel of the Year".split(",")
const academies = "Meridian Awards,Silver Lantern Awards,Aurora Prize,Harbor Critics Awards".split(",")
const shows = "The Glass House,Island of Rivals,Dance Night,The Great Kitchen,Seven Castles".split(",")

const work = (dice: Dice): string => `"The ${dice.pick(adjectives)} ${dice.pick(nouns)}"`

const openingWeekend: Topic = {
  category: "culture",
  count: onWeekday(2, 2),
  endOf: afterDays(12, 12),
  weight: 2,
  describe: ({ dice }) => {
    const film = work(dice)
    const first = 10 * dice.between(1, 12)
    return {
      title: `${film} opening weekend box office?`,
      description: `This market resolves by the domestic gross of ${film} over its first three days. The final figure counts, not the Sunday estimate.`,
      tags: ["culture", "movies", "box-office"],
      negRisk: true,
      markets: ranges(
        dice,
        rangeLabels(first, 5, 8, "m"),
        (range) => `Will ${film} gross ${range} on its opening weekend?`,
      ),
    }
  },
}

const criticScore: Topic = {
  category: "culture",
  count: perDay(0.35),
  endOf: afterDays(7, 25),
  weight: 1,
  describe: ({ dice, endText }) => {
    const film = work(dice)
    return {
      title: `${film} critic score on ${endText}?`,
      description: `A market resolves to "Yes" if the critic score of ${film} is above its level at noon ET on ${endText}. If there are fewer than 20 reviews, all resolve to "No".`,
      tags: ["culture", "movies"],
      negRisk: false,
      markets: aboveLevels(
        dice,
        [50, 60, 70, 75, 80, 85, 90, 95].map(String),
        (score) => `Will ${film} have a critic score above ${score} on ${endText}?`,
      ),
    }
  },
}

const award: Topic = {
  category: "culture",
  count: perDay(0.25),
  endOf: afterDays(25, 120),
  weight: 3,
  describe: ({ dice, end }) => {
    const prize = `${dice.pick(prizes)} at the ${end.year} ${dice.pick(academies)}`
    return {
      title: `Who will win ${prize}?`,
      description: `This market resolves to the winner of ${prize}. If the award is shared, it resolves to the name that comes first in the alphabet.`,
      tags: ["culture", "awards", "movies"],
      negRisk: true,
      markets: exactlyOne(dice, samplePeople(dice, dice.between(5, 12)), (name) => `Will ${name} win ${prize}?`),
    }
  },
}

const topSong: Topic = {
  category: "culture",
  count: onWeekday(3),
  endOf: afterDays(9, 9),
  weight: 1.5,
  describe: ({ dice, endText }) => ({
    title: `Number one song in the week of ${endText}?`,
    description: `This market resolves to the artist whose song leads the weekly chart dated ${endText}. For joint songs, the artist named first counts.`,
    tags: ["culture", "music"],
    negRisk: true,
    markets: exactlyOne(
      dice,
      [...samplePeople(dice, dice.between(6, 10)), "someone else"],
      (artist) => `Will ${artist} have the number one song in the week of ${endText}?`,
    ),
  }),
}

const showWinner: Topic = {
  category: "culture",
  count: perDay(0.12),
  endOf: afterDays(20, 80),
  weight: 1,
  describe: ({ dice, end }) => {
    const show = `${dice.pick(shows)} ${end.year}`
    return {
      title: `Who will win ${show}?`,
      description: `This market resolves to the winner announced in the finale of ${show}. If the season is cancelled, it resolves to the last leader.`,
      tags: ["culture", "television"],
      negRisk: true,
      markets: exactlyOne(dice, samplePeople(dice, dice.between(8, 16)), (name) => `Will ${name} win ${show}?`),
    }
  },
}

const doings = [
  "release an album",
  "announce a world tour",
  "host an awards show",
  "publish a memoir",
  "be cast in a new film",
  "get engaged",
]

const doing: Topic = {
  category: "culture",
  count: perDay(0.45),
  endOf: afterDays(10, 100),
  weight: 0.8,
  describe: ({ dice, endText }) => {
    const question = `Will ${randomPerson(dice)} ${dice.pick(doings)} by ${endText}?`
    return {
      title: question,
      description: `This market resolves to "Yes" if that is announced or happens by ${endText}, 11:59 PM ET. Statements by representatives and a consensus of credible reporting are the sources.`,
      tags: ["culture", "music", "television"],
      negRisk: false,
      markets: single(dice, question),
    }
  },
}

export const culture: ReadonlyArray<Topic> = [openingWeekend, criticScore, award, topSong, showWinner, doing]
