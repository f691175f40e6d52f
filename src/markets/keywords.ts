/** Words that questions begin with or contain whatever they are about. */
const common = new Set(
  (
    "a an and any are at be been before between by can close did do does end for from get has have hit how if in is it " +
    "market more many much no not of off on or out over reach than that the their there this to under until up us was " +
    "what when where which who whose will win with yes vs"
  ).split(" "),
)

const times = new Set(
  (
    "january february march april may june july august september october november december " +
    "jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday " +
    "today tomorrow week month year am pm et utc"
  ).split(" "),
)

const mostKeywords = 3

const isName = (word: string) => /^\p{Lu}/u.test(word)
/** Years, days and times of day say when, which posts seldom repeat. */
const isTime = (word: string) =>
  times.has(word.toLowerCase()) || /^(\d{1,2}|20\d\d|\d{1,2}(:\d\d)?(am|pm))$/i.test(word)

/** Names in a question, words of a name together; its longest words if it has no names. */
export const keywordsOf = (question: string): ReadonlyArray<string> => {
  const words = question
    .split(/[\s,;:!?()[\]"“”]+/u)
    .map((word) => word.replace(/^[^\p{L}\p{N}$€£#@]+|[^\p{L}\p{N}%]+$/gu, ""))
    .filter((word) => word !== "")
  const names: Array<string> = []
  let isOpen = false
  for (const word of words) {
    const isPart = isName(word) && !isTime(word) && !common.has(word.toLowerCase())
    if (isPart && isOpen) names.push(`${names.pop()} ${word}`)
    else if (isPart) names.push(word)
    isOpen = isPart
  }
  const found = [...new Set(names)]
  if (found.length > 0) return found.slice(0, mostKeywords)
  const rest = words.filter((word) => !common.has(word.toLowerCase()) && !isTime(word))
  const longest = new Set(rest.toSorted((a, b) => b.length - a.length).slice(0, mostKeywords))
  return [...new Set(rest.filter((word) => longest.has(word)))]
}
