import type { topic } from "#src/upstream/chain/topics.ts"
import { comboCases } from "./comboCases.ts"
import type { EventCase } from "./EventCase.ts"
import { positionCases } from "./positionCases.ts"
import { tradingCases } from "./tradingCases.ts"

export const cases: Readonly<Record<keyof typeof topic, EventCase>> = {
  ...tradingCases,
  ...positionCases,
  ...comboCases,
}
