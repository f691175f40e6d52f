import { BadInput } from "../server/errors.ts"

/** Refuses parameters that nothing matches together. */
export const conflictingFilters = (
  parameters: ReadonlyArray<string>,
  hint = "Use one of them, or several that name the same market.",
) => {
  const param = parameters.at(-1)
  const error = `These filters exclude each other: ${parameters.join(", ")}.`
  return new BadInput({ error, ...(param !== undefined && { param }), hint })
}
