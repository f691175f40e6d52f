export interface MarketType {
  readonly code: string
  readonly label: string
  readonly category: string
}

/** The first that a code contains. */
const categories: ReadonlyArray<readonly [category: string, words: ReadonlyArray<string>]> = [
  ["player", ["player", "goalscorer", "touchdowns", "yards", "points", "assists", "rebounds"]],
  ["corners", ["corner"]],
  ["spread", ["spread", "handicap"]],
  ["total", ["total", "odd_even", "nrfi", "both_teams_to_score"]],
  [
    "result",
    [
      "moneyline",
      "winner",
      "result",
      "completed_match",
      "exact_score",
      "most_2_way",
      "to_score_first",
      "first_to_score",
    ],
  ],
]

/** Codes whose words say something else. */
const exceptions: Readonly<Record<string, string>> = { basketball_total_points: "total" }

const labelOf = (code: string) => {
  const words = code.split("_").filter((word) => word !== "")
  return words.map((word, i) => (i === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word)).join(" ")
}

/** The venue has codes only; the rest follows from their words. */
export const marketTypeOf = (code: string): MarketType => ({
  code,
  label: labelOf(code),
  category:
    exceptions[code] ?? categories.find(([, words]) => words.some((word) => code.includes(word)))?.[0] ?? "other",
})
