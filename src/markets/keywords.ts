/** Words that questions begin with or contain whatever they are about. */
const common = new Set(
  (
    "a an and any are at be been before between by can close did do does down end for from get has have hit how if in is it its " +
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

const mostNames = 3
const mostOthers = 4
const mostWords = 10

const isName = (word: string) => /^\p{Lu}/u.test(word)
/** Years, days and times of day say when, which posts seldom repeat. */
const isTime = (word: string) =>
  times.has(word.toLowerCase()) || /^(\d{1,2}|20\d\d|(\d{1,2}(:\d\d)?(am|pm)?[-–])?\d{1,2}(:\d\d)?(am|pm))$/i.test(word)

/** Between two parts of a name: Bank of Japan, Rio de Janeiro. */
const joints = new Set(["of", "de", "da", "del", "&"])

export interface Keywords {
  /** Words of a name together: "Bank of Japan". */
  readonly names: ReadonlyArray<string>
  /** Other words that say what the question is about. */
  readonly others: ReadonlyArray<string>
  /** Both, word by word in the order of the question. */
  readonly all: ReadonlyArray<string>
}

const wordsIn = (question: string) =>
  question
    .split(/[\s;!?()[\]"“”]+|[,:](?!\d)/u)
    .map((word) => word.replace(/^[^\p{L}\p{N}$€£#@&]+|[^\p{L}\p{N}%&]+$/gu, ""))
    .filter((word) => word !== "")

/** What a question is about, without what questions of all kinds say. */
export const keywordsOf = (question: string): Keywords => {
  const words = wordsIn(question)
  const isWord = (word: string | undefined) => word !== undefined && !common.has(word.toLowerCase()) && !isTime(word)
  const isPart = (word: string | undefined) => word !== undefined && isName(word) && isWord(word)
  const names: Array<string> = []
  let isOpen = false
  words.forEach((word, i) => {
    const joins = isOpen && joints.has(word.toLowerCase()) && isPart(words[i + 1])
    if (isOpen && (joins || isPart(word))) names.push(`${names.pop()} ${word}`)
    else if (isPart(word)) names.push(word)
    isOpen = joins || isPart(word)
  })
  return {
    names: [...new Set(names)].slice(0, mostNames),
    others: [...new Set(words.filter((word) => isWord(word) && !isName(word)))].slice(0, mostOthers),
    all: [...new Set(words.filter(isWord))].slice(0, mostWords),
  }
}
