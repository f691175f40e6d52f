const more = "…"

/** Reads JSON in which `…` before a closing bracket stands for more keys or items. */
export const parseExample = (text: string): unknown =>
  JSON.parse(
    text.replaceAll(/([[{,]?)\s*…\s*([}\]])/g, (_, before: string, close: string) => {
      const separator = before === "" || before === "," ? "," : before
      return `${separator}${close === "}" ? `"${more}":0` : `"${more}"`}${close}`
    }),
  )

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const kindOf = (value: unknown): string => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value)

/** Where an answer has other keys or types than its example, in words; `null` matches everything. */
export const differences = (example: unknown, answer: unknown, path = "$"): ReadonlyArray<string> => {
  if (example === null || answer === null || example === more) return []
  if (kindOf(example) !== kindOf(answer))
    return [`${path}: the example has ${kindOf(example)}, the answer ${kindOf(answer)}`]
  if (Array.isArray(example) && Array.isArray(answer)) {
    if (example.length === 0 || example[0] === more) return []
    return answer.length === 0 ? [`${path}: the answer is empty`] : differences(example[0], answer[0], `${path}[0]`)
  }
  if (!isObject(example) || !isObject(answer)) return []
  const names = Object.keys(example).filter((name) => name !== more)
  const missing = names.filter((name) => !(name in answer)).map((name) => `${path}.${name}: not in the answer`)
  const unnamed = more in example ? [] : Object.keys(answer).filter((name) => !names.includes(name))
  return [
    ...missing,
    ...unnamed.map((name) => `${path}.${name}: not in the example`),
    ...names
      .filter((name) => name in answer)
      .flatMap((name) => differences(example[name], answer[name], `${path}.${name}`)),
  ]
}
