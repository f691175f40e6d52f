/** What an export can be sent as, and the media type of each. */
export const exportForms = {
  json: "application/json",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
} as const
export type ExportForm = keyof typeof exportForms

const names = Object.keys(exportForms) as ReadonlyArray<ExportForm>

const weight = /^\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i

/** How much a client wants it, 0 to 1; what is not written as it should be is not wanted. */
const weightIn = (parameters: ReadonlyArray<string>): number => {
  const given = parameters.find((parameter) => /^\s*q\s*=/i.test(parameter))
  return given === undefined ? 1 : Number(weight.exec(given)?.[1] ?? 0)
}

/** The weights that an `Accept` gives to media types and ranges of them. */
const weightsOf = (accept: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const part of accept.split(",")) {
    const [range = "", ...parameters] = part.split(";")
    const name = range.trim().toLowerCase()
    if (name !== "" && !found.has(name)) found.set(name, weightIn(parameters))
  }
  return found
}

/** The form that a client with this `Accept` likes best, of those it likes as much the first; nothing where it takes none. */
export const chooseForm = (accept: string | undefined): ExportForm | undefined => {
  if (accept === undefined || accept.trim() === "") return "json"
  const weights = weightsOf(accept)
  let best: ExportForm | undefined
  let most = 0
  for (const name of names) {
    const type = exportForms[name]
    const range = `${type.split("/", 1)[0]}/*`
    const wanted = weights.get(type) ?? weights.get(range) ?? weights.get("*/*") ?? 0
    if (wanted > most) [best, most] = [name, wanted]
  }
  return best
}
