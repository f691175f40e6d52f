import { type Account, accountNamed, accountWithId } from "../accounts.ts"
import type { Post } from "../Post.ts"
import { invalid } from "../problems.ts"

export type Test = (post: Post) => boolean

/** A part of a query that is not made of others. */
export interface Leaf {
  readonly test: Test
  /** Whether it may be all that is asked for. */
  readonly standsAlone: boolean
  /** What needs the text is tried last. */
  readonly needsText: boolean
}

const has: Readonly<Record<string, Test>> = {
  links: ({ links }) => links.length > 0,
  images: (post) => photoOf(post),
  media: (post) => photoOf(post),
  mentions: ({ plain }) => /@\w/.test(plain),
  hashtags: ({ plain }) => /#[\p{L}\p{N}]/u.test(plain),
}

const photoOf = (post: Post): boolean => (post.kind === "retweet" ? (post.reference?.hasPhoto ?? false) : post.hasPhoto)

const is: Readonly<Record<string, Test>> = {
  retweet: ({ kind }) => kind === "retweet",
  reply: ({ kind }) => kind === "reply",
  quote: ({ kind }) => kind === "quote",
  verified: ({ author }) => author.verified !== "none",
}

const invalidOperator = (query: string, name: string, at: number) =>
  invalid(
    { query: [query] },
    `There were errors processing your request: Reference to invalid operator '${name}'. Operator is not available in current product or product packaging. Please refer to complete available operator list at https://docs.x.com/x-api/posts/search/integrate/operators. (at position ${at + 1})`,
  )

const wrongValue = (query: string, name: string, value: string, at: number) =>
  invalid(
    { query: [query] },
    `There were errors processing your request: Invalid value '${value}' for operator '${name}' (at position ${at + 1})`,
  )

/** Nobody by that name exists, which is no mistake. */
const personTest = (value: string, of: (post: Post) => Account | undefined): Test | undefined => {
  const name = value.replace(/^@/, "")
  if (!/^\w{1,20}$/.test(name)) return undefined
  const person = accountNamed(name) ?? accountWithId(name)
  return person === undefined ? () => false : (post) => of(post) === person
}

interface Operator {
  readonly standsAlone: boolean
  readonly needsText: boolean
  /** Undefined for a value that it cannot have. */
  readonly testOf: (value: string) => Test | undefined
}

const own = (table: Readonly<Record<string, Test>>, value: string) =>
  Object.hasOwn(table, value) ? table[value] : undefined

const operators: Readonly<Record<string, Operator>> = {
  from: { standsAlone: true, needsText: false, testOf: (value) => personTest(value, ({ author }) => author) },
  to: {
    standsAlone: true,
    needsText: false,
    testOf: (value) => personTest(value, (post) => (post.kind === "reply" ? post.reference?.author : undefined)),
  },
  retweets_of: {
    standsAlone: true,
    needsText: false,
    testOf: (value) => personTest(value, (post) => (post.kind === "retweet" ? post.reference?.author : undefined)),
  },
  conversation_id: {
    standsAlone: true,
    needsText: false,
    testOf: (value) => (/^\d{1,19}$/.test(value) ? (post) => post.conversationId === value : undefined),
  },
  url: {
    standsAlone: true,
    needsText: true,
    testOf: (value) => {
      const wanted = value.toLowerCase()
      return ({ links }) =>
        links.some(({ url, expanded }) => [url, expanded].some((each) => each.toLowerCase().includes(wanted)))
    },
  },
  lang: {
    standsAlone: false,
    needsText: false,
    testOf: (value) => (/^[a-z]{2,3}$/.test(value) ? ({ lang }) => lang === value : undefined),
  },
  has: { standsAlone: false, needsText: true, testOf: (value) => own(has, value) },
  is: { standsAlone: false, needsText: false, testOf: (value) => own(is, value) },
}

export const operatorLeaf = (query: string, name: string, value: string, at: number): Leaf => {
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined
  if (operator === undefined) throw invalidOperator(query, name, at)
  const test = operator.testOf(value)
  if (test === undefined) throw wrongValue(query, name, value, at)
  return { test, standsAlone: operator.standsAlone, needsText: operator.needsText }
}
