import type { Dice } from "../../../../random.ts"
import type { SportName } from "../leagues.ts"
import { baseball } from "./baseball.ts"
import { basketball } from "./basketball.ts"
import { football } from "./football.ts"
import { hockey, soccer } from "./goals.ts"
import type { Match } from "./match.ts"
import { counterStrike, tennis } from "./sets.ts"

/** How games of a sport come out; `edge`, from -2 to 2, is how much better the home side is. */
export interface Sport {
  readonly play: (dice: Dice, edge: number) => Match
  /** Home minus away points that an edge of 1 is worth, and how far games stray from it. */
  readonly margin: { readonly perEdge: number; readonly sigma: number }
  readonly total: { readonly mean: number; readonly sigma: number }
}

export const sports: Readonly<Record<SportName, Sport>> = {
  basketball: { play: basketball, margin: { perEdge: 6.6, sigma: 16 }, total: { mean: 220, sigma: 16 } },
  football: { play: football, margin: { perEdge: 4.2, sigma: 14 }, total: { mean: 49, sigma: 14 } },
  baseball: { play: baseball, margin: { perEdge: 0.96, sigma: 4.1 }, total: { mean: 8.6, sigma: 4.1 } },
  hockey: { play: hockey, margin: { perEdge: 0.6, sigma: 2.3 }, total: { mean: 6.2, sigma: 2.3 } },
  soccer: { play: soccer, margin: { perEdge: 0.54, sigma: 1.6 }, total: { mean: 2.7, sigma: 1.6 } },
  tennis: { play: tennis, margin: { perEdge: 2.2, sigma: 6 }, total: { mean: 24, sigma: 6 } },
  counterStrike: { play: counterStrike, margin: { perEdge: 3, sigma: 9 }, total: { mean: 50, sigma: 10 } },
}
