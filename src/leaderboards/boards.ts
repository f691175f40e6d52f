import type { Board } from "./Board.ts"
import { rolling } from "./rolling.ts"

export const boards: ReadonlyArray<Board> = [rolling]
