import { Layer } from "effect"

export const api = Layer.empty
export const ops = Layer.empty
