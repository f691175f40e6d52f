import { wholeText } from "./document.ts"
import { endsInWord, wordsOf } from "./words.ts"

/** How well the words of a document match, best first. */
export const matches = ["exact", "phrase", "words", "prefix", "similar", "some"] as const
export type MatchMode = (typeof matches)[number]

const matchOfStage = [
  "exact",
  "phrase",
  "words",
  "words",
  "prefix",
  "prefix",
  "prefix",
  "similar",
  "similar",
  "some",
] as const satisfies ReadonlyArray<MatchMode>

export const matchOf = (stage: number): MatchMode => matchOfStage[stage] ?? "some"

/** Better stages come first; within one, the rank decides. */
export interface Stage {
  readonly number: number
  /** In the text form of `tsquery`. */
  readonly query: string
}

/** A whole text is the query: always first, however many documents match. */
export const exactStage = 0

/** What is asked for. */
export interface Question {
  /** In the order in which they were typed. */
  readonly words: ReadonlyArray<string>
  /** Whether the last word may go on. */
  readonly isTyping: boolean
}

/** Further words of a query are ignored. */
export const mostWords = 16

export const questionOf = (text: string): Question => {
  const all = wordsOf(text)
  return { words: all.slice(0, mostWords), isTyping: endsInWord(text) && all.length <= mostWords }
}

const quoted = (word: string) => `'${word}'`
const begins = (word: string) => `'${word}':*`
const named = (term: string) => (term.endsWith(":*") ? `${term}A` : `${term}:A`)
const all = (terms: ReadonlyArray<string>) => [...new Set(terms)].join(" & ")
const phrase = (terms: ReadonlyArray<string>) => terms.join(" <-> ")
const any = (terms: ReadonlyArray<string>) => `(${terms.join(" | ")})`

/** Every word as it was typed; the last one may go on. */
const termsOf = ({ words, isTyping }: Question) =>
  words.map((word, i) => (isTyping && i === words.length - 1 ? begins(word) : quoted(word)))

/** All words as they were typed. */
export const literalStages = (question: Question): ReadonlyArray<Stage> => {
  const whole = question.words.map(quoted)
  const typed = termsOf(question)
  const isPhrase = whole.length > 1
  return [
    { number: exactStage, query: quoted(wholeText(question.words)) },
    ...(isPhrase ? [{ number: 1, query: phrase(whole) }] : []),
    { number: 2, query: all(whole.map(named)) },
    { number: 3, query: all(whole) },
    ...(question.isTyping && isPhrase ? [{ number: 4, query: phrase(typed) }] : []),
    ...(question.isTyping
      ? [
          { number: 5, query: all(typed.map(named)) },
          { number: 6, query: all(typed) },
        ]
      : []),
  ]
}

/** What a word may mean: words of documents, by the number of typos in between. */
export type Alternatives = ReadonlyArray<{ readonly word: string; readonly typos: 1 | 2; readonly documents: number }>

/** All words, with typos: `alternatives` are those of each word of the question. */
export const similarStages = (question: Question, alternatives: ReadonlyArray<Alternatives>): ReadonlyArray<Stage> => {
  const typed = termsOf(question)
  const within = (most: number) =>
    all(
      typed.map((term, i) =>
        any([term, ...(alternatives[i] ?? []).flatMap(({ word, typos }) => (typos <= most ? [quoted(word)] : []))]),
      ),
    )
  return [
    { number: 7, query: within(1) },
    { number: 8, query: within(2) },
  ]
}

/** All words but one, whichever it is, with typos. */
export const partialStages = (question: Question, alternatives: ReadonlyArray<Alternatives>): ReadonlyArray<Stage> => {
  const terms = termsOf(question).map((term, i) =>
    any([term, ...(alternatives[i] ?? []).map(({ word }) => quoted(word))]),
  )
  if (terms.length < 2) return []
  const without = terms.map((_, left) => `(${all(terms.filter((_each, i) => i !== left))})`)
  return [{ number: 9, query: any(without) }]
}
