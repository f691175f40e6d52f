import { easternOn, monthName } from "../eastern.ts"
import { rangeLabels, ranges, single } from "./shapes.ts"
import { monthEnd, onDayOfMonth, perDay, type Topic } from "./topic.ts"

interface City {
  readonly name: string
  /** Usual highest temperature of January and July. */
  readonly january: number
  readonly july: number
  readonly unit: "°C" | "°F"
}

const cities: ReadonlyArray<City> = [
  { name: "NYC", january: 39, july: 85, unit: "°F" },
  { name: "London", january: 8, july: 24, unit: "°C" },
  { name: "Seoul", january: 2, july: 29, unit: "°C" },
  { name: "Chicago", january: 32, july: 84, unit: "°F" },
  { name: "Miami", january: 76, july: 91, unit: "°F" },
  { name: "Buenos Aires", january: 30, july: 15, unit: "°C" },
]

/** From 0 in January to 6 in July and back. */
const warmth = (month: number): number => 6 - Math.abs(7 - month)

const highestTemperature = (city: City): Topic => ({
  category: "weather",
  count: () => 1,
  endOf: (date) => easternOn(date + 2, 20),
  weight: 0.6,
  describe: ({ dice, end, endText }) => {
    const usual = city.january + Math.round(((city.july - city.january) * warmth(end.month)) / 6)
    const step = city.unit === "°F" ? 2 : 1
    const first = usual + dice.between(-3, 3) - 3 * step
    const whole = Array.from({ length: 7 }, (_, i) => first + i * step)
    const inner = whole.map((low) => (step === 1 ? `${low}${city.unit}` : `${low} to ${low + 1}${city.unit}`))
    const groups = [`${first - 1}${city.unit} or below`, ...inner, `${first + 7 * step}${city.unit} or higher`]
    return {
      title: `Highest temperature in ${city.name} on ${endText}?`,
      description: `This market resolves to the range that holds the highest temperature recorded in ${city.name} on ${endText}. The official station is the source, to the whole degree.`,
      tags: ["weather", "temperature", "daily"],
      negRisk: true,
      markets: ranges(
        dice,
        groups,
        (range) => `Will the highest temperature in ${city.name} be ${range} on ${endText}, ${end.year}?`,
      ),
    }
  },
})

const rainfall: Topic = {
  category: "weather",
  count: onDayOfMonth(1),
  endOf: monthEnd(0, 0),
  weight: 0.5,
  describe: ({ dice, end }) => {
    const where = `${dice.pick(cities).name} in ${monthName(end.month)} ${end.year}`
    return {
      title: `Precipitation in ${where}?`,
      description: `This market resolves by the total precipitation in ${where}. The monthly summary of the official station is the source.`,
      tags: ["weather", "rain", "climate"],
      negRisk: true,
      markets: ranges(
        dice,
        rangeLabels(1, 1, 7, " inches"),
        (range) => `Will there be ${range} of precipitation in ${where}?`,
      ),
    }
  },
}

const occurrences = [
  "a named storm form in the Atlantic",
  "a Category 4 hurricane form",
  "an earthquake of magnitude 7 or more occur",
  "a new daily heat record be set in Phoenix",
  "Arctic sea ice reach a record low for the date",
]

const occurrence: Topic = {
  category: "weather",
  count: perDay(0.2),
  endOf: monthEnd(0, 2),
  weight: 0.8,
  describe: ({ dice, endText }) => {
    const question = `Will ${dice.pick(occurrences)} by ${endText}?`
    return {
      title: question,
      description: `This market resolves to "Yes" if that is recorded by the responsible agency by ${endText}, 11:59 PM ET. Preliminary figures count unless corrected within a day.`,
      tags: ["weather", "hurricanes", "climate"],
      negRisk: false,
      markets: single(dice, question),
    }
  },
}

export const weather: ReadonlyArray<Topic> = [...cities.map(highestTemperature), rainfall, occurrence]
