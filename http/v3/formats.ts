import { errorResponse } from "../server/errors.ts"

/** Formats of lists and exports, with their media types. */
export const exportFormats = {
  json: "application/json",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
} as const
export type ExportFormat = keyof typeof exportFormats

const names = Object.keys(exportFormats) as ReadonlyArray<ExportFormat>

const weight = /^\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i

/** Weight from 0 to 1; a malformed weight is 0. */
const weightIn = (parameters: ReadonlyArray<string>): number => {
  const given = parameters.find((parameter) => /^\s*q\s*=/i.test(parameter))
  return given === undefined ? 1 : Number(weight.exec(given)?.[1] ?? 0)
}

/** Weights of media types and ranges in an `Accept` header. */
const weightsOf = (accept: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const part of accept.split(",")) {
    const [range = "", ...parameters] = part.split(";")
    const name = range.trim().toLowerCase()
    if (name !== "" && !found.has(name)) found.set(name, weightIn(parameters))
  }
  return found
}

/** The format with the highest weight in `Accept`, the first among equals; undefined if it allows none. */
export const chooseFormat = (accept: string | undefined): ExportFormat | undefined => {
  if (accept === undefined || accept.trim() === "") return "json"
  const weights = weightsOf(accept)
  let best: ExportFormat | undefined
  let highest = 0
  for (const name of names) {
    const type = exportFormats[name]
    const range = `${type.split("/", 1)[0]}/*`
    const weightOf = weights.get(type) ?? weights.get(range) ?? weights.get("*/*") ?? 0
    if (weightOf > highest) [best, highest] = [name, weightOf]
  }
  return best
}

/** For a client that accepts none of the formats. */
export const noSuchFormat = errorResponse(406, {
  error: "Accept allows none of the available formats.",
  hint: `Allow one of ${Object.values(exportFormats).join(", ")}.`,
})
