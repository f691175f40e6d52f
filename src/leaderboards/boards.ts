import type { Board } from "./Board.ts"
import { rolling } from "./rolling.ts"
import { standing } from "./standing/standing.ts"

export const boards: ReadonlyArray<Board> = [rolling, standing]
